"""Lesson 2: why scores are divided by √d_k, measured over thousands of draws, and what dividing cannot do."""

import streamlit as st

from attention_core.draws import (
    DIVISORS,
    MOST,
    WIDTHS,
    divided,
    divisor,
    one_draw,
    one_table,
    over_widths,
    products_of_many,
    statistics_of,
    theory,
    tried,
)
from attention_core.measures import entropy_share, jacobian_norm, softmax_jacobian
from attention_core.overflow import remedies, softened
from attention_core.softmax import exponentials, softmax, softmax_forward
from attention_core.what_if import added_to_column, added_to_row, dot_products, moved, softmax_at
from pages.scaling.claims import CLAIMS, LENGTH, verdict
from pages.scaling.questions import (
    claim_question,
    constant_question,
    d_v_question,
    grows_question,
    more_question,
    nudge_question,
    two_question,
    variance_question,
)
from pages.scaling.views import (
    at_width,
    bell,
    board,
    claim_lines,
    marked,
    over_d_k,
    prepare,
    short,
    slopes,
    thumbnails,
    way_of,
    weight_card,
    weights_map,
)
from pages.shared.frame import begin
from pages.shared.markup import number
from pages.shared.stepper import Stage, strip, walk

STAGES = (
    Stage(
        "spread",
        "q · k",
        "Longer vectors, wider scores",
        "A score is a sum of d_k products. Draw every number of q and k with mean 0 and variance 1, and each product "
        "brings a variance of 1 into the sum: q · k should have variance d_k. A deviation is the root of that, √d_k."
        "\n\nWhich of the three divisors keeps the variance at 1, whatever d_k is? Choose it and drag d_k.",
    ),
    Stage(
        "scores",
        "softmax",
        "Wide scores make hard choices",
        "The same draws at one d_k: how far the scores lie apart, and what softmax makes of one table of them. Softmax "
        "goes by differences: a score that leads by 7 gets e⁷, a thousand times the share."
        "\n\nDivide by nothing, then drag d_k from 1 to 512.",
    ),
    Stage(
        "largest",
        "largest",
        "Undivided, one key takes all",
        "The largest weight of a row says how hard the choice is. One table could show anything, so here are many at "
        "every d_k: the line is their mean, and eight draws in ten lie in the band.",
    ),
    Stage(
        "entropy",
        "entropy",
        "Too much division, no choice left",
        "Entropy says how open a row is: 0 when one key has everything, at its maximum when all keys get the same. "
        "Learning wants neither end. A row that is open to the full has not looked at anything.",
    ),
    Stage(
        "gradient",
        "gradient",
        "The gradient that dies",
        "This is why the paper divides. Training moves weights by moving scores, and how far a weight follows is a "
        "slope: w · (1 − w) for its own score. Where one weight is nearly 1 all slopes are nearly 0, and a wrong "
        "choice cannot be unlearned.",
    ),
    Stage(
        "claims",
        "one draw",
        "One draw proves very little",
        "Tutorials print one table of numbers and read a law out of it. Here are four such claims. Guess first; then "
        "draw again, a few times, and see what a single draw would have told you.",
    ),
    Stage(
        "d_v",
        "√d_v",
        "The width of k, not that of v",
        "Values have a width too, d_v. Most code makes it equal to d_k, so whoever divides by √d_v gets every number "
        "right, until somebody changes one of the two. Change d_v and see the mistake come out of hiding.",
    ),
    Stage(
        "overflow",
        "overflow",
        "Two troubles, two remedies",
        "Overflow: e to the score is larger than a number can be, and NaN comes out. Saturation: all is computed well, "
        "but one key has everything. Add the same to every score of a row, as a bias of the keys does, and work the "
        "two switches: which remedy mends which trouble?",
    ),
    Stage(
        "constant",
        "constants",
        "Only differences count",
        "Numbers can be added to scores, and scores multiplied. Softmax divides by the sum of a row, so whatever all "
        "scores of that row have in common cancels. Try all three and watch which cells get an outline.",
    ),
)
NAMES = [stage.name for stage in STAGES]
DRAWS = ("1", "10", "100", "1000", "4000")
EXPERIMENTS = ("add to a row", "add to a column", "multiply all")
PRESETS = {
    "Sixteen keys": {"length": 16, "step": "largest"},
    "÷ d_k: nothing stands out": {"divide": "d_k", "step": "entropy"},
    "A gradient near 0": {"divide": "nothing", "d_k": "512", "step": "gradient"},
}

page = begin("scaling", "Scaling")
controls, run = page.controls, page.recipe.run
stage = STAGES[NAMES.index(controls.place("step", "Step", NAMES, NAMES[0]))]

with page.scene:
    st.subheader("These draws", anchor=False)
    length = controls.slider("length", "Queries and keys in a table", 2, 16, 8, 1)
    n_draws = int(controls.dial("draws", "How many draws", DRAWS, "1000"))
    seed = controls.whole("seed", "Seed", 0, 9999, 18)
    page.presets(PRESETS)
told = max(n_draws, 1000)  # a question is about draws on average, so a few would not do

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
            d_k, named = 64, "√d_k"
            if stage.name != "claims":
                widths = [str(width) for width in WIDTHS]
                d_k = int(controls.dial("d_k", "$d_k$, the width of q and k", widths, "64", width=300))
            if stage.name in NAMES[:5]:
                named = controls.choice("divide", "Divide the scores by", DIVISORS, "√d_k")
            if stage.name == "d_v":
                d_v = int(controls.dial("d_v", "$d_v$, the width of v", [str(w) for w in WIDTHS], "64", width=300))
        walk(page, STAGES, stage)
    with stages:
        pictures = thumbnails()
        strip(page, STAGES, [pictures[name] for name in NAMES], stage)
    by = divisor(named, d_k)
    origin = f"Random numbers (seed {seed}): they stand for no words."
    many = f"{n_draws} draw{'s' * (n_draws > 1)} of {length} queries and {length} keys."

    if stage.name in ("spread", "largest", "entropy", "gradient"):
        measure = {"spread": "variance", "largest": "largest_in_row", "entropy": "entropy"}.get(stage.name, "jacobian")
        prepare(WIDTHS, length, n_draws, seed)
        if stage.name == "gradient":
            products = run("products", dot_products, *run("table", one_table, d_k, length, seed, 0))
            ready = page.ask(nudge_question(products, d_k, page.variant("nudge")))
        elif stage.name == "spread":
            ready = page.ask(variance_question(page.variant("variance")))
        else:
            prepare(WIDTHS, length, told, seed)
            largest = over_widths("largest_in_row", WIDTHS, length, told, seed)
            ready = page.ask(
                grows_question(largest, page.variant("grows"))
                if stage.name == "largest"
                else more_question(largest, length, page.variant("more"))
            )
        if ready:
            if stage.name == "gradient":
                to_query = controls.choice("to", "How far up", ("to the scores", "to the query"), "to the scores")
                measure = "jacobian" if to_query == "to the scores" else "reach"
            spread = run("spread", over_widths, measure, WIDTHS, length, n_draws, seed)
            left, right = st.columns([1.18, 1], gap="medium")
            with left:
                here = getattr(spread, "middle" if measure == "reach" else "mean")
                here = here[DIVISORS.index(named), WIDTHS.index(d_k)]
                sentence = f"Divided by {named}, at d_k = {d_k}: {short(here, 3)}. {many}"
                page.show(over_d_k(spread, measure, named, d_k, sentence), note=origin)
            with right, st.container(border=True):
                page.write(at_width(spread, measure, named, d_k, theories=measure == "variance"))
            with right:
                if stage.name == "spread":
                    page.say("Dashed is the theory, d_k over the square of the divisor.", "note")
                elif stage.name == "largest":
                    page.say(f"All {length} keys alike would be {number(1 / length, 3)} each.", "note")
                elif stage.name == "entropy":
                    page.say(
                        "Divided by d_k, the scores shrink to nothing as d_k grows: every query takes the plain mean "
                        "of all values, whatever it asks. Dividing by more is not safer.",
                        "note",
                    )
                elif measure == "reach":
                    page.say(
                        "A score is q · k over the divisor, so what comes through softmax is multiplied by k and "
                        "divided once more. Divided by d_k, little is left for the query in every draw; undivided, "
                        "nothing in most draws and far too much in a few.",
                        "note",
                    )
                else:
                    page.say(
                        "Dividing by d_k seems to do no harm here. Go one step further up, to the query, and look "
                        "again.",
                        "note",
                    )
            if stage.name == "gradient":
                weights = run("weights", softmax_at, products, by)
                jacobian = run("slopes", softmax_jacobian, weights)
                norms = run("norms", jacobian_norm, weights)
                row = min(controls.whole("q", ":blue[query] · row", 1, 16, 1, width=150), length) - 1
                left, right = st.columns(2, gap="medium")
                with left:
                    title = f"The first draw at d_k = {d_k}: row q{row + 1} sums to 1."
                    page.show(weights_map(weights, "weights of one draw", title, (row, None), small=True, sums="rows"))
                with right:
                    page.show(slopes(jacobian[row], row, float(norms[row]), named))

    elif stage.name == "scores":
        table = run("table", one_table, d_k, length, seed, 0)
        products = run("products", dot_products, table.q, table.k)
        scores = run("scores", divided, products, by)
        powers = run("powers", exponentials, scores)
        weights = run("weights", softmax, scores)
        all_products = products_of_many(d_k, length, seed, min(n_draws, 100))
        left, right = st.columns([1, 1.18], gap="medium")
        with left:
            deviation = float(theory(named, (d_k,))[0] ** 0.5)
            note = "" if d_k > 2 else "The bell is a law of long sums: a sum of one or two products is more peaked."
            page.show(bell(all_products, divided(all_products, by), deviation, named, d_k), note=note)
            card = st.container(border=True)
            with st.container(horizontal=True):
                row = min(controls.whole("q", ":blue[query] · row", 1, 16, 1, width=150), length) - 1
                column = min(controls.whole("k", ":orange[key] · column", 1, 16, 1, width=150), length) - 1
        with card:
            label = "÷ 1" if named == "nothing" else f"÷ √{d_k}" if named == "√d_k" else f"÷ {d_k}"
            page.write(weight_card(products, scores, powers, weights, row, column, label))
        with right:
            opened = float(entropy_share(weights).mean())
            sentence = (
                f"The first draw. Largest weight {number(weights.max())}; on average its rows are open to {opened:.0%}."
            )
            picture = weights_map(weights, "weights", sentence, (row, column), sums="rows", clickable=True)
            page.show(picture, lambda i, j: controls.put(q=i + 1, k=j + 1), note=origin)

    elif stage.name == "claims":
        name = controls.choice("claim", "The claim", tuple(CLAIMS), next(iter(CLAIMS)))
        claim = CLAIMS[name]
        page.say(f"**Claim.** {claim.text} Tables of {LENGTH} queries and {LENGTH} keys, as in the tutorials.", "ask")
        prepare(claim.widths, LENGTH, n_draws, seed)
        prepare(claim.widths, LENGTH, told, seed)
        tested = (claim.measure, claim.divisor, claim.rises, claim.widths, LENGTH)
        if page.ask(claim_question(claim.question, tried(*tested, told, seed))):
            trial = run("trial", tried, *tested, n_draws, seed)
            draw = controls.whole("draw", "One draw, number", 1, MOST, 1, width=150)
            single = run("single", one_draw, claim.measure, claim.divisor, claim.widths, LENGTH, seed, draw - 1)
            st.button(
                "Draw again",
                icon=":material/casino:",
                key="scaling_again",
                disabled="draw" in controls.locked,
                on_click=controls.put,
                kwargs={"draw": draw % MOST + 1},
            )
            told_by_one = " ".join(number(value) for value in single)
            sentence = f"Draw {draw}: {told_by_one} at d_k = {', '.join(map(str, claim.widths))}."
            left, right = st.columns([1.18, 1], gap="medium")
            with left:
                page.show(claim_lines(claim.widths, trial, single, 1 / LENGTH, draw, sentence), note=origin)
            with right, st.container(border=True):
                page.write(verdict(trial, claim))

    elif stage.name == "d_v":
        if page.ask(d_v_question(d_k, page.variant("d_v"))):
            products = run("products", dot_products, *run("table", one_table, d_k, length, seed, 0))
            good = run("good", softmax_at, products, divisor("√d_k", d_k))
            bad = run("bad", softmax_at, products, divisor("√d_k", d_v))
            found = moved(good, bad)
            left, right = st.columns(2, gap="medium")
            with left:
                said = f"Divided by √d_k = √{d_k}: scores of variance 1. Largest weight {number(good.max())}."
                page.show(weights_map(good, "divided by the root of d_k", said, sums="rows"))
            with right:
                variance = short(float(d_k / d_v), 3)
                said = f"Divided by √d_v = √{d_v}: scores of variance {variance}. Largest weight {number(bad.max())}; "
                said += f"{int(found.sum())} of {found.size} weights differ."
                page.show(weights_map(bad, "divided by the root of d_v", said, sums="rows", moved=found), note=origin)

    elif stage.name == "overflow":
        products = run("products", dot_products, *run("table", one_table, d_k, length, seed, 0))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            constant = controls.slider("add", "Added to every score of the row", -150, 150, 100, 10, width=300)
            row = min(controls.whole("q", ":blue[query] · row", 1, 16, 1, width=150), length) - 1
        found = run("found", remedies, products, row, float(constant), divisor("√d_k", d_k))
        if page.ask(two_question(found, constant, d_k, page.variant("two"))):
            with st.container(horizontal=True):
                divide = controls.switch("divided", "Divide by √d_k")
                subtract = controls.switch("subtract", "Subtract the maximum")
            names = marked("k", length)
            left, right = st.columns([1.18, 1], gap="medium")
            with left:
                page.write(board(found, divide, subtract, names))
                page.write("Reckoned in 32 bits, as models do: e⁸⁸·⁷ is the largest power that fits.", "note")
            with right, st.container(border=True):
                outcome = found[2 * subtract + divide]
                page.write(way_of(outcome, names, subtract))

    else:
        products = run("products", dot_products, *run("table", one_table, d_k, length, seed, 0))
        scores = run("scores", divided, products, by)
        weights = run("weights", softmax, scores)
        if page.ask(constant_question(scores, weights, page.variant("constant"))):
            with st.container(horizontal=True, vertical_alignment="bottom"):
                what = controls.choice("experiment", "Try it", EXPERIMENTS, EXPERIMENTS[0])
                amount = controls.slider("amount", "How much", -4.0, 4.0, 2.0, 0.5, width=220)
                row = min(controls.whole("q", ":blue[query] · row", 1, 16, 1, width=150), length) - 1
                column = min(controls.whole("k", ":orange[key] · column", 1, 16, 1, width=150), length) - 1
            if what == EXPERIMENTS[0]:
                changed = run("changed", added_to_row, scores, row, amount)
                said, cell = f"{number(amount, 1)} added to every score of row q{row + 1}.", (row, None)
            elif what == EXPERIMENTS[1]:
                changed = run("changed", added_to_column, scores, column, amount)
                said, cell = f"{number(amount, 1)} added to every score of column k{column + 1}.", (None, column)
            else:
                changed = run("changed", divided, scores, 2.0**-amount)
                said, cell = f"Every score multiplied by 2 to the {number(amount, 1)}.", (None, None)
            after = run("after", softmax, changed)
            found = moved(weights, after)
            left, right = st.columns(2, gap="medium")
            with left:
                page.show(weights_map(weights, "before", "The weights before.", cell, sums="rows"), note=origin)
            with right:
                said += f" {int(found.sum())} of {found.size} weights have moved."
                page.show(weights_map(after, "after", said, cell, sums="rows", moved=found))

page.finish(statistics_of, softmax_forward, softened)
