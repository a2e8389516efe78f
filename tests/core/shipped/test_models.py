"""The models that ship: what their files and cards say, and that the commands on the cards make them again."""

import json
import re
import subprocess
import sys
from dataclasses import asdict
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.data_files import DataFileError
from attention_core.experiments.language.story_probes import grades_of_stories
from attention_core.shipped import __main__, plans, runs
from attention_core.shipped.files import fold_gains, make, round_mantissa
from attention_core.shipped.models import baselines_of, card_of, curve_of, model_at, model_in
from attention_core.shipped.plans import ABLATED, FOLDER, MODELS, OTHER_SEEDS, TWINS, twin
from attention_core.text.corpora import baseline_losses, source_of

PAIRS = {twin(*ablated).name: (ablated[0].name, ablated[1]) for ablated in ABLATED}
SEEDED = [f"english-seed-{seed}" for seed in OTHER_SEEDS]
MAIN = [name for name in MODELS if name not in PAIRS and name not in SEEDED]
every_model = pytest.mark.parametrize("name", MODELS)


def of(name):
    return source_of(MODELS[name].source)


def test_the_files_are_the_ones_that_were_measured():
    """What else is true of their contents is tested nightly: `sha256sum` writes the list, in `attention_core`."""
    listed = (Path(__file__).parents[1] / "data" / "shipped.sha256").read_text("ascii").split()
    listed = dict(zip(listed[1::2], listed[::2], strict=True))
    core_folder = FOLDER.parents[1]
    files = [*FOLDER.iterdir(), *(core_folder / "text").glob("*.gz"), *(core_folder / "text").glob("*.txt")]
    found = {file.relative_to(core_folder).as_posix(): sha256(file.read_bytes()).hexdigest() for file in files}
    assert found == listed


@pytest.mark.nightly
@every_model
def test_a_file_holds_the_model_of_the_plan_and_the_vocabulary_of_its_source(name):
    for step in MODELS[name].saved:
        with np.load(MODELS[name].file(step), allow_pickle=False) as arrays:
            config, vocabulary = (json.loads(str(arrays[text])) for text in ("config", "vocabulary"))
            assert core.Config(**config) == MODELS[name].plan.config
            assert tuple(vocabulary) == of(name).vocabulary.tokens
            assert {*arrays} == {"config", "vocabulary", *core.named_arrays(model_at(name, step))}


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


@pytest.mark.parametrize("harm", [{}, {"baselines": [1.0, 0.5]}])
def test_a_record_without_each_baseline_cannot_be_read(harm, tmp_path, monkeypatch):
    monkeypatch.setattr(plans, "FOLDER", tmp_path)
    baselines_of.cache_clear()
    with pytest.raises(DataFileError, match=r"^english\.json is missing$"):
        baselines_of("english")
    (tmp_path / "english.json").write_text(json.dumps(harm), "utf-8")
    with pytest.raises(DataFileError, match=r"^english\.json cannot be read$"):
        baselines_of("english")
    baselines_of.cache_clear()


@pytest.mark.nightly
@every_model
def test_a_model_is_better_at_each_of_its_stops(name):
    first = MODELS[name].plan.first  # until then it has not read a text of its source
    stops = [step for step in MODELS[name].stops if step == 0 or step > first]
    losses = [runs.tested_loss(model_at(name, step), of(name)) for step in stops]
    baselines = baseline_losses(of(name), MODELS[name].plan.config.max_len)
    assert all(later < earlier for earlier, later in pairwise(losses))
    assert losses[0] > baselines.uniform
    assert losses[-1] < min(baselines)
    assert baselines_of(name) == pytest.approx(baselines)


@pytest.mark.nightly
@every_model
def test_the_first_loss_is_that_of_the_plan(name):
    step = next(runs.start_training(MODELS[name].plan, of(name)).steps)
    assert step.loss == pytest.approx(card_of(name).first_loss, abs=1e-4)
    assert step.gradient_norm == pytest.approx(curve_of(name).gradient_norms[0], rel=1e-3)


@every_model
def test_a_card_says_what_is_true_of_the_model(name):
    card, model = card_of(name), MODELS[name]
    assert card.text == of(name).says
    assert card.parameters == sum(array.size for array in core.named_arrays(model_at(name)).values())
    assert card.size == (FOLDER / f"{name}-{model.plan.steps}.npz").stat().st_size
    words = 4 * len(json.dumps(of(name).vocabulary.tokens))  # bytes: four a character
    assert 2 * card.parameters < card.size < 2 * card.parameters + words + 25_000  # two bytes a number, and their names
    assert (card.steps, card.seed) == (model.plan.steps, model.plan.seed)
    assert (card.seeds, card.slopes) == (model.seeds, model.plan.config.slopes)
    assert not card.seeds or card.seed in card.seeds
    assert (card.first_loss, card.last_loss) == (curve_of(name).learned[0], curve_of(name).tested[-1])
    assert card.command == f"python -m attention_core.shipped {name}"


@pytest.mark.parametrize("name", PAIRS)
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


def test_numbers_with_a_short_mantissa_are_the_nearest_ones():
    numbers = np.random.default_rng(4).standard_normal(997).astype(np.float16)
    rounded = round_mantissa(numbers, 4)
    assert np.abs(rounded / numbers - 1).max() <= 2.0**-5
    assert (np.frexp(rounded.astype(float))[0] * 2**5 % 1 == 0).all()  # no later bit is set
    by_hand = round_mantissa(np.array([1.0, 1.25, 1.24, 1.99, -1.26, 0.0], np.float16), 1)
    assert by_hand.tolist() == [1.0, 1.5, 1.0, 2.0, -1.5, 0.0]


def commanded(folder, workers):
    """Run the command on a card in a process of its own."""
    command = [sys.executable, *card_of("pronoun").command.split()[1:]]
    command += ["--folder", str(folder), "--workers", str(workers)]
    run = subprocess.run(command, cwd=FOLDER.parents[2], capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return run.stdout


@pytest.mark.nightly
def test_the_command_makes_the_same_files_to_the_last_bit_with_one_thread_and_with_two(tmp_path):
    folders = [tmp_path / name for name in ("one", "two")]
    said = [commanded(folder, workers) for workers, folder in enumerate(folders, start=1)]
    one, two = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders)
    assert set(one) == {"pronoun.json", *(f"pronoun-{step}.npz" for step in MODELS["pronoun"].saved)}
    assert one == two
    assert said[0] == said[1]
    assert re.fullmatch(r"pronoun: loss 5\.345\d at the first step, validation loss 0\.000\d at the end\n", said[0])


def test_a_model_is_kept_at_its_stops_and_its_curve_beside_it_the_same_with_two_threads(tmp_path, monkeypatch):
    model = MODELS["english"]
    first_loss = card_of("english").first_loss
    short = model._replace(plan=model.plan._replace(steps=5), saved=(2, 5))
    monkeypatch.setitem(plans.MODELS, "english", short)
    found = make("english", tmp_path, 1)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["english-2.npz", "english-5.npz", "english.json"]
    assert [record.step for record in found] == [1, 2, 3, 4, 5]
    assert found[0].learned == pytest.approx(first_loss, abs=1e-4)
    assert runs.tested_loss(model_in(tmp_path, short, 5), of("english")) == pytest.approx(found[-1].tested, abs=1e-3)
    assert json.loads((tmp_path / "english.json").read_text("utf-8"))["baselines"] == [*baselines_of("english")]
    (other := tmp_path / "of two threads").mkdir()
    make("english", other, 2)
    assert all(file.read_bytes() == (tmp_path / file.name).read_bytes() for file in other.iterdir())


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
