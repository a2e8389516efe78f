"""GGUF files written piece by piece: tiny models whose every number is known, in all five number formats."""

import math
import struct
from typing import Any, NamedTuple

import numpy as np

FORMATS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8}
KINDS = {np.dtype("u4"): 4, np.dtype("i4"): 5, np.dtype("f4"): 6, np.dtype("u1"): 0, np.dtype("i8"): 11}

PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
LETTERS = {**{b: chr(b) for b in PRINTABLE}, **{b: chr(256 + i) for i, b in enumerate(OTHERS)}}  # of bytes
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ hello", "Ġ t", "1 2", "Ã ©", "Ġ Ġ"]
TOKENS = ["<|end|>", "<|start|>", *LETTERS.values(), *(merge.replace(" ", "") for merge in MERGES)]


class Stored(NamedTuple):
    """A tensor as it is in a file."""

    shape: tuple[int, ...]
    form: int
    content: bytes


def text(string: str | bytes) -> bytes:
    content = string.encode() if isinstance(string, str) else string
    return struct.pack("<Q", len(content)) + content


def value(given: Any) -> bytes:
    """Return a value of the metadata with its type."""
    if isinstance(given, bytes):
        return given  # with a type of its own
    if isinstance(given, bool):
        return struct.pack("<I?", 7, given)
    if isinstance(given, int):
        return struct.pack("<II", 4, given) if given < 2**32 else struct.pack("<IQ", 10, given)
    if isinstance(given, float):
        return struct.pack("<If", 6, given)
    if isinstance(given, str):
        return struct.pack("<I", 8) + text(given)
    if isinstance(given, list):
        return struct.pack("<IIQ", 9, 8, len(given)) + b"".join(map(text, given))
    return struct.pack("<IIQ", 9, KINDS[given.dtype], len(given)) + given.tobytes()


def gguf(metadata: dict[str, Any], tensors: dict[str, Stored], offsets: dict[str, int] | None = None) -> bytes:
    """Return a GGUF file; `offsets` replaces where a tensor claims to be."""
    alignment = metadata.get("general.alignment", 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    head += b"".join(text(key) + value(given) for key, given in metadata.items())
    position, content = 0, b""
    for name, (shape, form, own) in tensors.items():
        start = (offsets or {}).get(name, position)
        head += text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", form, start)
        content += own + bytes(-len(own) % alignment)
        position = len(content)
    return head + bytes(-len(head) % alignment) + content


def random_tensor(
    rng: np.random.Generator, shape: tuple[int, ...], form: str, size: float
) -> tuple[Stored, np.ndarray]:
    """Return a random tensor as stored, and its numbers as float64, which the definition of the format gives."""
    if form in ("F32", "F16"):
        array = (size * rng.standard_normal(shape)).astype("<f4" if form == "F32" else "<f2")
        return Stored(shape, FORMATS[form], array.tobytes()), array.astype(np.float64)
    content, numbers = b"", []
    for _ in range(math.prod(shape) // 32):
        scale = np.float16(size * rng.uniform(0.5, 1.5) / (64 if form == "Q8_0" else 5))
        content += scale.tobytes()
        if form == "Q8_0":
            whole = rng.integers(-128, 128, 32)
            content += whole.astype(np.int8).tobytes()
            numbers += [float(scale) * int(q) for q in whole]
            continue
        whole = rng.integers(0, 16, 32)
        least = -8 * float(scale)
        if form == "Q4_1":
            content += np.float16(-8 * float(scale)).tobytes()
            least = float(np.float16(-8 * float(scale)))
        content += bytes(int(whole[i]) | int(whole[i + 16]) << 4 for i in range(16))
        numbers += [float(scale) * int(q) + least for q in whole]
    return Stored(shape, FORMATS[form], content), np.array(numbers).reshape(shape)


class Tiny(NamedTuple):
    """A tiny Llama model: as metadata and tensors of a file, and as numbers."""

    metadata: dict[str, Any]
    tensors: dict[str, Stored]
    numbers: dict[str, np.ndarray]

    @property
    def content(self) -> bytes:
        return gguf(self.metadata, self.tensors)


def tiny(form: str = "F32", n_groups: int = 2, tied: bool = True, seed: int = 0, layers: int = 2) -> Tiny:
    """Return a random model; its sizes are multiples of 32 only where blocks need it."""
    width, heads, d_head, hidden = (11, 6, 4, 13) if form in ("F32", "F16") else (32, 4, 24, 64)
    metadata = {
        "general.architecture": "llama",
        "general.name": "tiny",
        "llama.block_count": layers,
        "llama.context_length": 61,
        "llama.embedding_length": width,
        "llama.feed_forward_length": hidden,
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": n_groups,
        "llama.attention.key_length": d_head,
        "llama.attention.value_length": d_head,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 500.0,
        "llama.rope.dimension_count": d_head,
        "llama.vocab_size": len(TOKENS),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": np.array([3, 3] + [1] * (len(TOKENS) - 2), np.int32),
        "tokenizer.ggml.merges": MERGES,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
    }
    shapes = {"token_embd": (len(TOKENS), width)} | ({} if tied else {"output": (len(TOKENS), width)})
    for i in range(layers):
        shapes |= {
            f"blk.{i}.attn_norm": (width,),
            f"blk.{i}.ffn_down": (width, hidden),
            f"blk.{i}.ffn_gate": (hidden, width),
            f"blk.{i}.ffn_up": (hidden, width),
            f"blk.{i}.ffn_norm": (width,),
            f"blk.{i}.attn_k": (n_groups * d_head, width),
            f"blk.{i}.attn_output": (width, heads * d_head),
            f"blk.{i}.attn_q": (heads * d_head, width),
            f"blk.{i}.attn_v": (n_groups * d_head, width),
        }
    shapes["output_norm"] = (width,)
    rng, tensors, numbers = np.random.default_rng(seed), {}, {}
    for name, shape in shapes.items():
        own, size = ("F32", 1.0) if len(shape) == 1 else (form, 1.5 / math.sqrt(shape[1]))
        tensors[f"{name}.weight"], numbers[f"{name}.weight"] = random_tensor(rng, shape, own, size)
    return Tiny(metadata, tensors, numbers)
