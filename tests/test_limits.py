"""Numbers that others rely on: what a server allows, how long it waits, and what is meant where nothing is said."""

import ast
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIMITS = """
pages.class_room.store: CLASSES 100, DAY 86400, IDLE 600, SEATS 2000, SILENT 60, LONGEST 6000, PATIENCE 1, SWEEP 600
pages.class_room.store: SHARE 24000, TEACHERS 512000, OF_A_ROW 240, ALL 268435456, RESERVE 2097152, LEAST 131072
pages.class_room.room: ABSENT 40
pages.class_room.member: SIGN 14
pages.class_room.push: EVERY 1
pages.class_room.walls: MOST 2500
pages.exercises.sandbox.lockdown: CPU_SECONDS 0.5, WALL_SECONDS 15, EXTRA_MEMORY 134217728, NICE 10
pages.exercises.sandbox.lockdown: OUT_OF_MEMORY 78, NOT_LOCKED 79
pages.exercises.sandbox.source_limits: MAX_CHARS 8000, MAX_LINES 400, MAX_LINE_CHARS 1000, MAX_BRACKETS 40
pages.exercises.sandbox.policy: MAX_DEPTH 60, MAX_NODES 4000, MAX_STRING 2000, MAX_INTEGER_DIGITS 40
pages.exercises.runner.slots: START_SECONDS 20, DEADLINE 16.5
pages.exercises.runner.protocol: MAX_MESSAGES 64, MAX_PRINTS 4100, MAX_WARNINGS 20, MAX_WORDS 300, MAX_NAMES 10
pages.exercises.runner.protocol: MAX_ITEMS 4096, MAX_AXES 8, MAX_PARTS 64, MAX_LINE 1000000, MAX_NAMED 64
pages.practice.rate_limit: LOOPS 3, AFTER_LOOPS 10
pages.exercises.runner.service: PATIENCE 10, RETRY 60
pages.exercises.tasks: TASK_POINTS 2
pages.exercises.grading.compare: MOST_SIZES 6, NEAR 1e-6
pages.exercises.grading.diagnose: ROUNDED 0.02
pages.page.fields.controls: LONGEST_TEXT 1000
pages.page.links: LONGEST_VISIT 100
pages.practice.exercise_page: MOST_WORDS 12
pages.practice.feedback: MOST_DRAWN 12
pages.practice.hand_in: LISTED 20, ENDED 5
pages.practice.hand_in_files: LARGEST 500000, MOST 1000, INFLATED 20000000, LONGEST 200, PROGRAM 8001
pages.server.brought: NICE 19, DEADLINE 60, MEMORY 268435456, PROCESSOR 20, ANSWER 2097152
pages.server.shares: HALF 60
pages.practice.progress: TRIES 3, HINT 0.1, SOLUTION 0.8
pages.reproduce.program: LONGEST 1000
pages.server.give_way: STALE 1, PATIENCE 0.25, NAP 0.004, LOOK 0.1, TELL 0.3
pages.server.messages: HEAD 8, MAX_BYTES 1073741824
pages.server.model_cache: MAX_BYTES 50331648, OF_ANY 4096
pages.server.process: WANTED 8192, RESERVE 128, ARENA_MAX -8, EVERY 300
pages.server.training_worker: AT_ONCE 0.1
pages.server.worker_process: NICE 10, PATIENCE 5, DEADLINE 120
pages.teaching.lecture: LEAST 15
pages.teaching.plan: LONGEST 8000, MOST_VIEWS 50, MOST_TEXT 100000, TITLE 60, NOTE 300, MINUTES 300
pages.tiny_lm.train.form: MOST_STEPS 2000, MOST_SECONDS 120
pages.tiny_lm.train.job: ROOM 67108864, LARGE 524288, FRESH 0.7, REST 0.1
pages.tiny_lm.train.queue: TURN 3, AWAY 45
pages.tiny_lm.train.remarks: JUMP 1, APART 0.3, COPIED 0.2, CHEATED 0.15, FEW 8, OVERLAP 0.5
pages.tiny_lm.train.upload: LARGEST_MODEL 8388608, LARGEST_NUMBER 10000, MOST_TOKENS 5000, MOST_WIDTH 1024
attention_core.text.characters: LONGEST_WORD 40, LONGEST_LABEL 8, MOST_STACKED 8, MOST_MARKS 100
attention_core.text.corpora: HELD_OUT 10007, TESTED 64, LARGEST_TEXT 500000, SHORTEST 40
attention_core.experiments.scaling.random_scores: MOST 10000
"""
ONE_MEANING = {  # of a parameter, wherever a function has it
    **{"base": 10_000, "rope_base": 10_000, "temperature": 1, "strength": 1, "offset": 0, "axis": -1, "dropout": 0},
    **{"batch_size": 32, "beta2": 0.95, "clip": 1, "workers": 1, "bits": 32, "block": 512, "epsilon": 1e-8},
    **{"decay": 0.01, "final": 0.1, "shrink": 1, "ndim": 0, "n_digits": 10, "n_letters": 10, "letters_per_row": 6},
    **{"digits": 2, "seed": 0, "largest": 1, "first": 0, "usual": 0, "loops": 0, "free_at": 0, "atol": 0, "rtol": 1e-7},
    **{"unit": 1, "power": 2, "sign": -1, "decimal": 7, "step": 0, "left": 1, "finest": 1, "blocks": 1, "bands": 1},
    **{"cost": 0, "early": 0, "size": 0, "mark": 0, "asked": 0, "if_true": 0, "if_false": 0, "third": 0, "repeats": 0},
    **{"run": 8, "n_rows": 1009, "n_sentences": 97, "n_stories": 100, "d_head": 8, "longest": 32, "otherwise": 2},
    **{"learning_rate": 3e-3, "weight_decay": 0.01, "length": 16, "d_model": 64, "tries": 2, "most": 12, "width": 150},
    **{"seconds": 60, "seen": 0, "key": 1, "layer": -1, "height": 250, "exercises": 0, "b": 0, "n_lines": 1},
    **{"turn": 1, "version": 0, "minutes": 0, "line": 0, "checks": 0, "which": 0, "expected": 1, "worked": 0},
}
OTHER = {  # where it is another
    *{"files.make workers 2", "html.percent digits 0", "real_claims.measure_copying step 1"},
    *{"scene.PositionScene seed 18", "scene.PositionScene length 20"},
    *{"runs.Plan weight_decay 1.0", "runs.Plan learning_rate 0.004"},
    *{"common.in_cell most 1.0", "matrix_image.matrix_picture height 320", "thumbnails.bars height 8"},
    *{"ask.Answered tries 1", "progress.Work tries 0", "beyond.window_means width 4"},
    *{
        "training_worker.take seconds 0.0",
        "attention.later offset 1",
        "html.residual power -12",
        "thumbnails.thumbnail size 46",
    },
}
ON = """
    written masked, positions_read cache, Config causal, Config tied, choices cache, generate cache, encode special,
    Look legend, say_here here, choose_matrices one_head, Lesson has_sentence, write_head answered,
    TutorialClaim ordered, generated_text ends, subject_of field, chosen_sampling acts,
    likeliest_bars quiet
"""


@pytest.mark.parametrize("line", LIMITS.split("\n")[1:-1])
def test_a_limit_is_the_number_that_was_chosen(line):
    module, _, limits = line.partition(": ")
    for limit in limits.split(", "):
        name, value = limit.split()
        assert getattr(import_module(module), name) == float(value), f"{name} was {value}: see what relies on it"


def defaults():
    """Yield each default of a function or a class: where it is, whose, its name and its value."""
    for path in (path for folder in ("attention_core", "pages") for path in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef):
                places = [*node.args.posonlyargs, *node.args.args][::-1]
                given = [*zip(places, node.args.defaults[::-1], strict=False)]
                given += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                found = [(place.arg, value) for place, value in given]
            elif isinstance(node, ast.ClassDef):
                fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
                found = [(ast.unparse(part.target), part.value) for part in fields]
            else:
                continue
            for name, value in found:
                with suppress(ValueError, TypeError):  # there is none, or it is computed
                    yield path.stem, node.name, name, ast.literal_eval(value)


def test_a_number_that_is_not_given_means_the_same_wherever_it_may_be_given():
    numbers = [one for one in defaults() if one[2] in ONE_MEANING and type(one[3]) in (int, float)]
    assert len(numbers) > 120
    others = {f"{stem}.{of} {name} {value}" for stem, of, name, value in numbers if value != ONE_MEANING[name]}
    assert others == OTHER


def test_an_option_is_off_unless_it_is_asked_for():
    on = {f"{of} {name}" for _, of, name, value in defaults() if value is True}
    assert on == {" ".join(option.split()) for option in ON.split(",")}
