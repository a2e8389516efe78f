"""SmolLM2-135M-Instruct: how long it takes to open, for a prompt and for a token, and how much memory it adds."""

from collections.abc import Callable, Iterator
from statistics import median

from attention_core.pretrained import find_pretrained, open_gguf
from tests.bench.server import memory
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort, Side, Worker

TEXT = "The animal didn't cross the street because it was too tired. "
PROMPT, NEW = 48, 16  # tokens


def rows(effort: Effort) -> Iterator[Row]:
    """Measure opening, a prompt and tokens, each in a process of its own with two threads."""
    if find_pretrained() is None:
        yield Row("SmolLM2", "not installed")
        return
    opened, added = run_times("opened", 1)[0], memory_added()
    yield Row("SmolLM2: opened", milliseconds(opened))
    yield Row("SmolLM2: more memory", f"{added:.0f} MiB")
    rounds = 3 if effort.quick else effort.rounds
    prompt, token = median(run_times("prompt", rounds)), median(run_times("tokens", rounds)) / NEW
    yield Row(f"SmolLM2: a prompt of {PROMPT} tokens", milliseconds(prompt))
    yield Row("SmolLM2: a token after it", milliseconds(token))


def run_times(function: str, rounds: int) -> list[float]:
    """Return the time of each run but a first one, where there is more than one."""
    with Worker(Side(function, f"real.{function}", threads=2)) as worker:
        return [worker.time() for _ in range(rounds + (rounds > 1))][rounds > 1 :]


def memory_added() -> float:
    """Return the MiB that a new process holds more once it has opened the model."""
    with Worker(Side("opened", "real.opened", threads=2)) as worker:
        before = memory(worker.process.pid)
        worker.time()
        return memory(worker.process.pid) - before


def opened() -> Callable[[], object]:
    """Return a function that opens the model and keeps it."""
    kept = []
    return lambda: kept.append(open_gguf(find_pretrained()))


def prompt() -> Callable[[], object]:
    """Return a function that computes the logits of a prompt."""
    model = open_gguf(find_pretrained())
    ids = model.encode(TEXT * 9)[:PROMPT]
    return lambda: model.logits(ids)


def tokens() -> Callable[[], object]:
    """Return a function that continues a prompt by a few tokens, whose time is that of the new ones alone."""
    model = open_gguf(find_pretrained())
    written = model.generate(model.encode(TEXT * 9)[:PROMPT], 4096)
    next(written)  # the prompt is computed here, before anything is timed
    return lambda: [next(written) for _ in range(NEW)]
