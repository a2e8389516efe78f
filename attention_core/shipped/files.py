"""Training the shipped models from scratch, and writing their files.

Beside the curve of a run stand the losses of models that only count: for the Small Stories they take two seconds.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from attention_core.arrays import Array
from attention_core.model.parameters import Model, named_arrays
from attention_core.shipped.models import Curve
from attention_core.shipped.plans import FOLDER, Shipped, shipped
from attention_core.shipped.runs import Record, records, start_training
from attention_core.text.corpora import Source, baseline_losses, source_of


def make(name: str, folder: Path = FOLDER, workers: int = 2) -> list[Record]:
    """Train a shipped model and write its files; on one machine they are always the same bits."""
    own = shipped(name)
    source = source_of(own.source)
    run = start_training(own.plan, source, workers)
    found: list[Record] = []
    for step, record in records(run, source, own.plan.steps):
        if record:
            found.append(record)
        if step.step in own.saved:
            short = None if step.step == own.saved[-1] else own.mantissa
            write_checkpoint(own, source, run.model, folder / own.file(step.step).name, short)
    fields = zip(Curve._fields, Record._fields, strict=True)
    columns = {name: [round(getattr(record, field), 5) for record in found] for name, field in fields}
    baselines = baseline_losses(source, own.plan.config.max_len)
    (folder / own.record.name).write_text(json.dumps({**columns, "baselines": baselines}) + "\n", "utf-8")
    return found


def write_checkpoint(own: Shipped, source: Source, model: Model, file: Path, mantissa: int | None = None) -> None:
    """Write a checkpoint of the model in float16, with gains folded if the model ships folded.

    With `mantissa`, its numbers keep that many of their 10 bits after the first, and the file is compressed: with 4
    bits it takes two thirds.
    """
    copy = Model.of(model.config, model.flat.copy())
    if own.folded:
        fold_gains(copy)
    texts = {"config": asdict(copy.config), "vocabulary": [*source.vocabulary]}
    arrays = {name: array.astype(np.float16) for name, array in named_arrays(copy).items()}
    if mantissa is not None:
        arrays = {name: round_mantissa(array, mantissa) for name, array in arrays.items()}
    write = np.savez if mantissa is None else np.savez_compressed
    write(file, allow_pickle=False, **{name: np.array(json.dumps(text)) for name, text in texts.items()}, **arrays)


def round_mantissa(array: Array, bits: int) -> Array:
    """Return float16 numbers rounded to so many bits after the first one; the others are 0 and compress well."""
    dropped = 10 - bits
    half = np.uint16((1 << dropped) >> 1)
    return ((array.view(np.uint16) + half) >> dropped << dropped).view(np.float16)  # a carry raises the exponent


def fold_gains(model: Model) -> None:
    """Fold the gain of each block's first LayerNorm into W_Q, W_K and W_V, in place, which changes no output.

    Weight decay keeps matrices small, so gains grow to compensate. With the gains folded in, x has standard deviation
    1, and the trained matrices are about as large as random ones. A random head over the same x is then comparable.
    """
    for block in model.parameters.blocks:
        gain, bias = block.norm1
        block.attention.w_qkv[...] *= gain[:, None]  # (y * gain + bias) @ w = (y + bias / gain) @ (gain * w)
        bias /= gain
        gain[...] = 1
