"""The models that ship: what their files and cards say, and that the commands on the cards make them again."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.real_claims import CLAIMS_FILE
from attention_core.experiments.language.story_probes import GRADES_FILE, grades_of_stories
from attention_core.experiments.language.text_loss import perplexity
from attention_core.model.npz import DataFileError
from attention_core.shipped import __main__, plans, runs
from attention_core.shipped.files import fold_gains, make
from attention_core.shipped.models import Curve, card_of, curve_of, loss_at, losses_of, model_at
from attention_core.shipped.plans import FOLDER, MODELS, OTHER_SEEDS, TWINS, shipped, twin
from attention_core.text.corpora import baseline_losses, source_of, uniform_loss
from tests.core.errors import check, says
from tests.tiers import first

PAIRS = {f"{name}-{kind.replace(' ', '-')}": (name, kind) for name in ("english", "recall") for kind in TWINS}
PAIRS.pop("english-one-layer")  # it is its own
SEEDED = [f"english-seed-{seed}" for seed in OTHER_SEEDS]
MAIN = [name for name in MODELS if name not in PAIRS and name not in SEEDED]
STOPS = [(name, step) for name in sorted(MODELS, key="stories".__eq__) for step in MODELS[name].stops[::-1]]
N_OTHERS = len(STOPS) - len(MODELS["stories"].stops)
every_model = pytest.mark.parametrize("name", MODELS)
every_twin = pytest.mark.parametrize("name", PAIRS)


def of(name):
    """Return what a model learned from."""
    return source_of(MODELS[name].source)


def test_five_models_ship_and_twins_of_two_of_them_and_one_from_other_seeds():
    assert MAIN == ["english", "pronoun", "recall", "bible", "stories"]
    assert list(MODELS) == [*MAIN, *PAIRS, *SEEDED]
    assert all(name == model.name for name, model in MODELS.items())


def test_the_files_are_those_of_the_models_and_no_other():
    kept = [model.file(step) for model in MODELS.values() for step in model.saved]
    assert set(FOLDER.iterdir()) == {*kept, *(FOLDER / f"{name}.json" for name in MODELS), GRADES_FILE, CLAIMS_FILE}


def test_the_small_stories_take_less_than_8_megabytes_and_the_others_less_than_4():
    sizes = {file.name: file.stat().st_size for file in FOLDER.iterdir()}
    of_stories = sum(size for name, size in sizes.items() if name.startswith("stories"))
    assert of_stories < 8_000_000
    assert sum(sizes.values()) - of_stories < 4_000_000


@every_model
def test_a_file_holds_the_model_of_the_plan_and_the_vocabulary_of_its_source(name):
    for step in MODELS[name].saved:
        model, vocabulary = core.load(MODELS[name].file(step))
        assert model.config == MODELS[name].plan.config
        assert tuple(vocabulary) == of(name).vocabulary.tokens
        assert model.config.vocab_size == len(vocabulary)
        assert np.array_equal(model_at(name, step).flat, model.flat)


@every_model
def test_a_model_can_be_looked_at_before_its_training_at_its_end_and_between(name):
    model = MODELS[name]
    assert model.stops == (0, *model.saved)
    assert all(a < b for a, b in pairwise(model.stops))
    assert model.saved[-1] == model.plan.steps
    assert len(model.stops) == (13 if name == "stories" else 5 if name in MAIN else 2)
    assert model_at(name) is model_at(name, model.plan.steps)


@every_model
def test_what_a_model_was_before_any_step_its_seed_tells(name):
    assert np.array_equal(model_at(name, 0).flat, runs.first_model(MODELS[name].plan).flat)


@every_model
def test_a_model_is_read_once_and_nobody_can_write_into_it(name):
    for step in MODELS[name].stops:
        model = model_at(name, step)
        assert model_at(name, step) is model
        assert not model.flat.flags.writeable
        for parameter, array in core.named_arrays(model).items():
            assert not array.flags.writeable, parameter
            assert np.shares_memory(array, model.flat), parameter
    assert curve_of(name) is curve_of(name)
    assert not any(column.flags.writeable for column in curve_of(name))


@every_model
def test_the_steps_of_a_curve_are_those_of_its_run(name):
    curve, plan = curve_of(name), MODELS[name].plan
    every = plan.steps // 64
    assert curve.steps.tolist() == sorted({1, plan.steps, *range(every, plan.steps + 1, every)})
    assert {len(column) for column in curve} == {len(curve.steps)}
    assert all(np.isfinite(column).all() for column in curve)
    assert [column.dtype.kind for column in curve] == ["i", "f", "f", "f"]


@every_model
def test_the_loss_falls(name):
    curve = curve_of(name)
    first = MODELS[name].plan.first
    after = curve.steps > (first + 200 if first else 0)  # an exercise has a loss of its own
    for losses in (curve.learned[after], curve.tested[after]):
        ends = np.convolve(losses, np.ones(9) / 9, "valid")[:: len(losses) // 4]  # means over nine records
        assert (np.diff(ends) < 0.02).all()
        assert losses[-1] < 0.6 * losses[0]


@every_model
def test_a_finished_model_has_the_loss_with_which_its_curve_ends(name):
    """Its numbers were written as float16, and the loss with five digits."""
    assert loss_at(name) == pytest.approx(curve_of(name).tested[-1], abs=2e-4)


@pytest.mark.parametrize(("name", "step"), first(N_OTHERS + 2, STOPS))  # two of the Small Stories: a second each
def test_the_loss_that_ships_is_that_of_the_checkpoint_that_ships(name, step):
    assert loss_at(name, step) == pytest.approx(runs.tested_loss(model_at(name, step), of(name)), abs=1e-6)


def test_a_loss_is_known_at_each_stop_and_at_the_last_one_if_none_is_named():
    assert all(tuple(losses_of(name)) == MODELS[name].stops for name in MODELS)
    assert loss_at("english") == loss_at("english", 2500)


@pytest.mark.parametrize("harm", [{}, {"losses": [1.0, 0.5]}, {"losses": [1.0, 0.5, 0.4, None, 0.3]}, {"losses": 5}])
def test_a_record_without_the_loss_of_each_stop_cannot_be_read(harm, tmp_path, monkeypatch):
    monkeypatch.setattr(plans, "FOLDER", tmp_path)
    losses_of.cache_clear()
    with pytest.raises(DataFileError, match=r"^bible\.json is missing$"):
        loss_at("bible")
    (tmp_path / "bible.json").write_text(json.dumps(harm), "utf-8")
    with pytest.raises(DataFileError, match=r"^bible\.json cannot be read$"):
        loss_at("bible")
    losses_of.cache_clear()


@every_model
def test_a_model_is_better_at_each_of_its_stops(name):
    first = MODELS[name].plan.first  # until then it has not read a text of its source
    stops = [step for step in MODELS[name].stops if step == 0 or step > first]
    losses = [loss_at(name, step) for step in stops]
    assert all(later < earlier for earlier, later in pairwise(losses))
    assert losses[0] > uniform_loss(of(name))
    assert losses[-1] < min(baseline_losses(of(name), MODELS[name].plan.config.max_len))


@every_model
def test_the_first_loss_is_that_of_the_plan(name):
    step = next(runs.start_training(MODELS[name].plan, of(name)).steps)
    assert step.loss == pytest.approx(card_of(name).first_loss, abs=1e-4)
    assert step.gradient_norm == pytest.approx(curve_of(name).gradient_norms[0], rel=1e-3)


@every_model
def test_a_card_says_what_is_true_of_the_model(name):
    card, model = card_of(name), MODELS[name]
    assert card.text == of(name).says
    assert card.licence == of(name).licence
    assert card.parameters == sum(array.size for array in core.named_arrays(model_at(name)).values())
    assert card.size == (FOLDER / f"{name}-{model.plan.steps}.npz").stat().st_size
    words = 4 * len(json.dumps(of(name).vocabulary.tokens))  # bytes: four a character
    assert 2 * card.parameters < card.size < 2 * card.parameters + words + 25_000  # two bytes a number, and their names
    assert (card.steps, card.seed) == (model.plan.steps, model.plan.seed)
    assert (card.seeds, card.slopes) == (model.seeds, model.plan.config.slopes)
    assert not card.seeds or card.seed in card.seeds
    assert (card.first_loss, card.last_loss) == (curve_of(name).learned[0], curve_of(name).tested[-1])
    assert card.command == f"python -m attention_core.shipped {name}"


def test_the_card_of_the_small_english():
    card = card_of("english")
    assert card.parameters == 8864
    assert card.size < 30_000
    assert (card.steps, card.seed) == (2500, 3)
    assert (card.first_loss, card.last_loss) == pytest.approx((5.079, 1.368), abs=1e-3)
    assert perplexity(card.last_loss) == pytest.approx(3.93, abs=0.01)


@every_twin
def test_a_twin_differs_in_one_thing_and_what_hangs_on_it(name):
    own, (other, kind) = MODELS[name], PAIRS[name]
    ours, theirs = asdict(own.plan.config), asdict(MODELS[other].plan.config)
    assert {field: ours[field] for field in ours if ours[field] != theirs[field]} == {
        field: value for field, value in TWINS[kind].items() if value != theirs[field]
    }
    assert own.plan._replace(config=MODELS[other].plan.config) == MODELS[other].plan
    assert own == twin(MODELS[other], kind)
    assert own.saved == MODELS[other].saved[-1:]
    assert (own.source, own.folded) == (MODELS[other].source, MODELS[other].folded)


def test_twins_lack_a_mask_positions_heads_or_a_layer():
    config = MODELS["recall"].plan.config
    lacking = {kind: twin(MODELS["recall"], kind).plan.config for kind in TWINS}
    assert (config.causal, lacking["no mask"].causal) == (True, False)
    assert (config.positions, lacking["no positions"].positions) == ("learned", "none")
    assert lacking["no positions"].slopes is None
    assert (config.n_heads, lacking["one head"].n_heads) == (4, 1)
    assert (config.n_layers, lacking["one layer"].n_layers) == (2, 1)


@pytest.mark.parametrize("name", ["english", "recall"])
def test_a_twin_that_sees_what_it_is_to_guess_has_almost_no_loss_and_the_others_have_more(name):
    last = {
        kind: card_of(f"{name}-{kind.replace(' ', '-')}").last_loss for kind in TWINS if (name, kind) in PAIRS.values()
    }
    assert last.pop("no mask") < 0.1 * card_of(name).last_loss
    assert all(loss > card_of(name).last_loss for loss in last.values())


def test_one_layer_cannot_recall():
    assert card_of("recall-one-layer").last_loss > 100 * card_of("recall").last_loss


def test_gains_fold_into_the_matrices_without_changing_what_the_model_computes():
    config = core.Config(13, d_model=10, n_heads=2, n_layers=3, max_len=7, d_ff=11)
    model = core.init_model(config, 5, np.float64)
    rng = np.random.default_rng(0)
    for block in model.parameters.blocks:
        block.norm1.gain[:] = rng.uniform(2, 5, size=10)
        block.norm1.bias[:] = rng.standard_normal(10)
    tokens = rng.integers(13, size=(3, 7))
    before = core.logits(model, tokens)
    fold_gains(model)
    np.testing.assert_allclose(core.logits(model, tokens), before, rtol=1e-10)
    assert all((block.norm1.gain == 1).all() for block in model.parameters.blocks)


@every_model
def test_gains_are_folded_where_the_plan_says_so(name):
    gains = [block.norm1.gain for block in model_at(name).parameters.blocks]
    assert all((gain == 1).all() == MODELS[name].folded for gain in gains)


def commanded(folder, workers):
    """Run the command on a card in a process of its own."""
    command = [sys.executable, *card_of("pronoun").command.split()[1:]]
    command += ["--folder", str(folder), "--workers", str(workers)]
    run = subprocess.run(command, cwd=FOLDER.parents[2], capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return run.stdout


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """Return what the command says, and the files it makes: with one thread, and again with two."""
    folders = [tmp_path_factory.mktemp("made") for _ in range(2)]
    said = [commanded(folder, workers) for workers, folder in enumerate(folders, start=1)]
    return said, [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]


def test_the_command_makes_the_same_files_to_the_last_bit_with_one_thread_and_with_two(rebuilt):
    said, (one, two) = rebuilt
    assert set(one) == {"pronoun.json", *(f"pronoun-{step}.npz" for step in MODELS["pronoun"].saved)}
    assert one == two
    assert said[0] == said[1]
    assert re.fullmatch(r"pronoun: loss 5\.345\d at the first step, validation loss 0\.000\d at the end\n", said[0])


def test_the_model_that_the_command_makes_is_the_one_that_ships(rebuilt, tmp_path):
    """Where it was made, the files are the same bits; another processor's products may round otherwise."""
    _, (files, _) = rebuilt
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    again, vocabulary = core.load(tmp_path / "pronoun-300.npz")
    assert tuple(vocabulary) == of("pronoun").vocabulary.tokens
    assert again.config == MODELS["pronoun"].plan.config
    rows, counted = of("pronoun").held_out(24)
    for model in (again, model_at("pronoun")):
        guesses = core.logits(model, rows[:, :-1]).argmax(axis=-1)
        assert (guesses == rows[:, 1:])[counted].all()
    words = ["the", "big", "cat", "saw", "a", "red", "ball", "near", "the", "hat", "and", "it"]
    tokens = of("pronoun").vocabulary.encode(words)
    looks = [core.attention_weights(model, tokens)[0, :, -1, 2] for model in (again, model_at("pronoun"))]
    assert looks[0].argmax() == looks[1].argmax()
    assert min(look.max() for look in looks) > 0.9
    assert runs.tested_loss(again, of("pronoun")) < 1e-3


def test_a_model_is_kept_at_its_stops_and_its_curve_beside_it(tmp_path, monkeypatch):
    model = MODELS["english"]
    first_loss, first_tested = card_of("english").first_loss, loss_at("english", 0)
    short = model._replace(plan=model.plan._replace(steps=5), saved=(2, 5))
    monkeypatch.setitem(plans.MODELS, "english", short)
    found = make("english", tmp_path, 1)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["english-2.npz", "english-5.npz", "english.json"]
    assert [record.step for record in found] == [1, 2, 3, 4, 5]
    assert found[0].learned == pytest.approx(first_loss, abs=1e-4)
    kept, words = core.load(tmp_path / "english-5.npz")
    assert tuple(words) == of("english").vocabulary.tokens
    assert runs.tested_loss(kept, of("english")) == pytest.approx(found[-1].tested, abs=1e-3)
    losses = json.loads((tmp_path / "english.json").read_text("utf-8"))["losses"]
    assert losses[0] == pytest.approx(first_tested, abs=1e-6)
    assert losses[1:] == [
        runs.tested_loss(core.load(tmp_path / f"english-{step}.npz")[0], of("english")) for step in (2, 5)
    ]


def test_the_command_measures_the_checkpoints_again_without_training(tmp_path, monkeypatch, capsys):
    for step in MODELS["pronoun"].saved:
        shutil.copy(MODELS["pronoun"].file(step), tmp_path)
    columns = json.loads(MODELS["pronoun"].record.read_text("utf-8"))
    (tmp_path / "pronoun.json").write_text(json.dumps({**columns, "losses": []}), "utf-8")
    monkeypatch.setattr(sys, "argv", ["shipped", "pronoun", "--losses", "--folder", str(tmp_path)])
    __main__.main()
    again = json.loads((tmp_path / "pronoun.json").read_text("utf-8"))
    assert again.pop("losses") == pytest.approx(columns.pop("losses"), abs=1e-6)
    assert again == columns
    assert capsys.readouterr().out.startswith("pronoun: validation loss 5.5566 at step 0, 1.9024 at step 20, ")


@pytest.mark.parametrize("elsewhere", [True, False])
def test_pieces_are_learned_anew_where_the_stories_are_that_ship(elsewhere, tmp_path, monkeypatch):
    """Another folder gets the model alone: the pieces belong to the package."""
    found = [runs.Record(step=1, learned=2.0, tested=1.0, gradient_norm=0.5)]
    wrote = []
    monkeypatch.setattr(__main__, "write_pieces", lambda: wrote.append("pieces"))
    monkeypatch.setattr(__main__, "make", lambda *_: wrote.append("model") or found)
    monkeypatch.setattr(__main__, "write_grades", lambda _: grades_of_stories())
    folder = ["--folder", str(tmp_path)] if elsewhere else []
    monkeypatch.setattr(sys, "argv", ["shipped", "stories", *folder])
    __main__.main()
    assert wrote == (["model"] if elsewhere else ["pieces", "model"])


def test_the_command_names_what_it_does_not_know(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["shipped", "pronoun", "klingon"])
    with pytest.raises(SystemExit):
        __main__.main()
    assert (
        "no model klingon; there are english, pronoun, recall, bible, stories, english-no-mask"
        in capsys.readouterr().err
    )


NAMES = ", ".join(MODELS)


@says(
    (lambda: shipped("Bible"), f"name must be one of {NAMES}, got 'Bible'"),
    (lambda: shipped("../english"), f"name must be one of {NAMES}, got '../english'"),
    (lambda: model_at("pronouns"), f"name must be one of {NAMES}, got 'pronouns'"),
    (lambda: model_at("pronoun", 299), "step must be one of 0, 20, 50, 100, 300, got 299"),
    (lambda: model_at("recall-one-layer", 50), "step must be one of 0, 700, got 50"),
    (lambda: model_at("english", -1), "step must be one of 0, 25, 100, 400, 2500, got -1"),
    (lambda: loss_at("english", 24), "step must be one of 0, 25, 100, 400, 2500, got 24"),
    (lambda: loss_at("x"), f"name must be one of {NAMES}, got 'x'"),
    (lambda: curve_of("x"), f"name must be one of {NAMES}, got 'x'"),
    (lambda: card_of("x"), f"name must be one of {NAMES}, got 'x'"),
    (lambda: make("x"), f"name must be one of {NAMES}, got 'x'"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)


def test_the_columns_of_a_curve_are_those_that_are_written():
    assert Curve._fields == ("steps", "learned", "tested", "gradient_norms")
