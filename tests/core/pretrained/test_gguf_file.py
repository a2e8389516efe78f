"""Reading a GGUF file: metadata and tensors as written, and a ValueError for each way to be wrong or to lie."""

import struct

import numpy as np
import pytest

from attention_core.pretrained import gguf_file
from attention_core.pretrained.gguf_file import MOST_HEADER, MOST_ITEMS, read_gguf
from tests.core.errors import check
from tests.core.pretrained.files import TOKENS, Stored, gguf, text, tiny, value

ONE = {"x": Stored((2, 3), 0, np.arange(6, dtype="<f4").tobytes())}
COUNTS = 4 + 4  # offset of the number of tensors; the number of values follows


@pytest.fixture
def read(tmp_path):
    def write_and_read(content):
        path = tmp_path / "x.gguf"
        path.write_bytes(content)
        return read_gguf(path)

    return write_and_read


@pytest.mark.parametrize("alignment", [1, 32, 64])
def test_metadata_and_tensors_are_read_as_written(read, alignment):
    metadata = {
        "general.alignment": alignment,
        "a text": "déjà vu",
        "true": True,
        "a number": 7,
        "a large number": 2**40,
        "half": 0.5,
        "words": ["one", "", "två"],
        "numbers": np.array([1, 2, 3], "i4"),
        "a byte": struct.pack("<IB", 0, 200),
        "negative": struct.pack("<Iq", 11, -3),
    }
    file = read(gguf(metadata, ONE | {"y": Stored((1,), 1, np.float16(3).tobytes())}))
    numbers = file.metadata.pop("numbers")
    assert numbers.tolist() == metadata.pop("numbers").tolist()
    assert file.metadata == metadata | {"a byte": 200, "negative": -3}
    out = np.empty((2, 3), np.float32)
    file.read_into("x", out)
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]]
    last = np.empty(1, np.float32)
    file.read_into("y", last)
    assert last == 3


def test_a_file_that_the_package_gguf_writes_is_read(read, tmp_path):
    package = pytest.importorskip("gguf")
    writer = package.GGUFWriter(tmp_path / "theirs.gguf", "llama")
    writer.add_block_count(3)
    writer.add_token_list(["a", "é"])
    writer.add_rope_freq_base(500.0)
    array = np.random.default_rng(0).standard_normal((5, 64)).astype(np.float32)
    kind = package.GGMLQuantizationType.Q4_1
    stored = package.quants.quantize(array, kind)
    writer.add_tensor("one", array)
    writer.add_tensor("two", stored, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    file = read_gguf(tmp_path / "theirs.gguf")
    assert file.metadata["llama.block_count"] == 3
    assert file.metadata["tokenizer.ggml.tokens"] == ["a", "é"]
    assert file.metadata["llama.rope.freq_base"] == 500
    out = np.empty((5, 64), np.float32)
    file.read_into("one", out)
    np.testing.assert_array_equal(out, array)
    file.read_into("two", out)
    np.testing.assert_array_equal(out, package.quants.dequantize(stored, kind))


def edited(content, offset, new):
    return content[:offset] + new + content[offset + len(new) :]


def with_values(*values, claimed=None):
    """Return a file whose metadata are written by hand."""
    return b"GGUF" + struct.pack("<IQQ", 3, 0, claimed or len(values)) + b"".join(values) + bytes(64)


def shaped(shape, form=0, content=b"", **more):
    return gguf({}, {"x": Stored(shape, form, content)}, **more)


PLAIN = gguf({"a": 1}, ONE)
TWO = {"x": ONE["x"], "y": ONE["x"]}
LONG = struct.pack("<Q", 2**63)
REFUSALS = {
    "nothing": (b"", "the file must be a GGUF file of at least 24 bytes, got 0"),
    "another kind": (b"PK\3\4" + bytes(99), "the file must start with GGUF, got another kind of file"),
    "version 1": (edited(PLAIN, 4, b"\1"), "the version of the file must be 2 or 3, got 1"),
    "big endian": (edited(PLAIN, 4, b"\0\0\0\3"), "the version of the file must be 2 or 3, got 50331648"),
    "many tensors": (edited(PLAIN, COUNTS, LONG), f"number of tensors must be between 0 and {MOST_ITEMS}"),
    "many values": (edited(PLAIN, COUNTS + 8, LONG), f"number of values must be between 0 and {MOST_ITEMS}"),
    "more values than there are": (with_values(claimed=1000), "names must be different, got '' twice"),
    "an endless name": (with_values(LONG), "the file must contain its whole header"),
    "an endless text": (with_values(text("a") + struct.pack("<I", 8) + LONG), "the file must contain its whole header"),
    "no text": (with_values(text(b"\xff") + value(1)), "strings must be UTF-8, got other bytes before offset 33"),
    "an unknown type": (with_values(text("a") + struct.pack("<I", 13)), "values must be numbers, strings or arrays"),
    "arrays in an array": (with_values(text("a") + struct.pack("<IIQ", 9, 9, 1)), "values must be numbers, strings"),
    "a long array": (
        with_values(text("a") + struct.pack("<IIQ", 9, 4, 2**62)),
        f"length of an array must be between 0 and {MOST_ITEMS}, got {2**62}",
    ),
    "an array past the end": (
        with_values(text("a") + struct.pack("<IIQ", 9, 12, MOST_ITEMS)),
        "the file must contain its whole header",
    ),
    "texts past the end": (
        with_values(text("a") + struct.pack("<IIQ", 9, 8, MOST_ITEMS)),
        "the file must contain its whole header",
    ),
    "a value twice": (with_values(*[text("a") + value(1)] * 2), "names must be different, got 'a' twice"),
    "a tensor twice": (gguf({}, TWO).replace(text("y"), text("x")), "names must be different, got 'x' twice"),
    "no axis": (shaped(()), "number of axes must be between 1 and 4, got 0"),
    "five axes": (shaped((1, 1, 1, 1, 1)), "number of axes must be between 1 and 4, got 5"),
    "an empty axis": (shaped((0, 3)), "an axis must be between 1 and"),
    "an endless axis": (shaped((2**63, 3)), "an axis must be between 1 and"),
    "an unknown format": (
        shaped((2, 32), 14),
        "tensors must be stored as one of F32, F16, Q4_0, Q4_1, Q8_0, got format 14",
    ),
    "part of a block": (shaped((32, 31), 8), "rows of Q8_0 must be a multiple of 32 long, got shape (32, 31)"),
    "numbers past the end": (shaped((2, 9), 0, bytes(20)), "'x' must end inside the file of"),
    "an offset past the end": (shaped((1,), 0, bytes(4), offsets={"x": 2**62}), "'x' must end inside the file of"),
    "a crooked offset": (shaped((1,), 0, bytes(64), offsets={"x": 4}), "'x' must start at a multiple of 32"),
    "the same bytes twice": (
        gguf({}, TWO, offsets={"y": 0}),
        "'y' must start at a multiple of 32 after the tensor before",
    ),
    "no alignment": (
        gguf({"general.alignment": 1}, ONE).replace(value(1), value(0)),
        "general.alignment must be between 1",
    ),
    "alignment by a word": (with_values(text("general.alignment") + value("32")), "general.alignment must be a whole"),
}


@pytest.mark.parametrize(("content", "message"), REFUSALS.values(), ids=REFUSALS)
def test_a_file_that_is_wrong_or_lies_is_refused(read, content, message):
    check(read, message, content)


def test_wherever_a_file_ends_too_early_it_is_refused(read):
    content = gguf({"a": "word", "b": ["x", "y"]}, ONE)
    assert read(content).tensors["x"].shape == (2, 3)
    end = len(content) - 8  # where the numbers end; the rest pads
    for length in range(end):
        with pytest.raises(ValueError, match=r"must"):
            read(content[:length])
    assert "x" in read(content[:end]).tensors


def test_of_a_header_no_more_is_read_than_its_limit(read, monkeypatch):
    content = gguf({"words": ["word"] * 9000}, ONE)
    assert len(content) < MOST_HEADER
    assert len(read(content).metadata["words"]) == 9000
    monkeypatch.setattr(gguf_file, "MOST_HEADER", 1 << 16)
    check(read, f"the file must contain its whole header, got an end after {1 << 16:,} bytes", content)


def test_a_file_that_is_missing_says_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_gguf(tmp_path / "missing.gguf")
    check(read_gguf, "path must be the path of a GGUF file, got None", None)


MADE = tiny()
NORM = MADE.tensors["output_norm.weight"]


def of(tensors=None, drop=(), **values):
    """Return the tiny model with metadata of llama, or tensors, changed."""
    given = {f"llama.{key.replace('__', '.')}": value for key, value in values.items()}
    metadata = {key: value for key, value in (MADE.metadata | given).items() if value is not None}
    kept = {name: tensor for name, tensor in (MADE.tensors | (tensors or {})).items() if name not in drop}
    return gguf(metadata, kept)


MODELS = {
    "another architecture": (
        gguf(MADE.metadata | {"general.architecture": "gpt2"}, MADE.tensors),
        "general.architecture must be one of ['llama'], got 'gpt2'",
    ),
    "a size missing": (of(embedding_length=None), "llama.embedding_length must be a whole number, got None"),
    "no layers": (of(block_count=0), "llama.block_count must be between 1 and"),
    "layers that are not there": (of(block_count=2**20), "the file must contain 9 tensors for each of 1048576 layers"),
    "one layer too many": (of(block_count=3), "the file must contain 9 tensors for each of 3 layers, got 20"),
    "one layer too few": (of(block_count=1), "the file must not contain tensors that a Llama model lacks, got 'blk.1."),
    "a size that is a word": (of(attention__head_count="6"), "llama.attention.head_count must be a whole number"),
    "heads a layer": (
        of(attention__head_count_kv=np.array([2, 2], "i4")),
        "llama.attention.head_count_kv must be a whole number",
    ),
    "groups that do not divide": (of(attention__head_count_kv=4), "6 heads must be a multiple of 4 groups"),
    "an odd head": (of(attention__key_length=3), "llama.rope.dimension_count must be the head width, an even number"),
    "part of a head rotated": (of(rope__dimension_count=2), "llama.rope.dimension_count must be the head width"),
    "wider values": (of(attention__value_length=6), "llama.attention.value_length must be the width of the keys, 4"),
    "other tokens": (of(vocab_size=5), f"llama.vocab_size must be the number of tokens, {len(TOKENS)}"),
    "stretched positions": (
        of(rope__scaling__type="yarn"),
        "llama.rope.scaling.type must be one of ['none'], got 'yarn'",
    ),
    "no epsilon": (of(attention__layer_norm_rms_epsilon=0.0), "llama.attention.layer_norm_rms_epsilon must be between"),
    "a base of NaN": (of(rope__freq_base=float("nan")), "llama.rope.freq_base must be at least 1"),
    "a tensor missing": (of(drop=["output_norm.weight"]), "the file must contain output_norm.weight, which is missing"),
    "a bias": (
        of({"blk.0.attn_q.bias": NORM}),
        "the file must not contain tensors that a Llama model lacks, got 'blk.0",
    ),
    "another shape": (of(feed_forward_length=12), "blk.0.ffn_gate.weight must have shape (12, 11), got (13, 11)"),
    "NaN": (
        of({"output_norm.weight": NORM._replace(content=np.full(11, np.nan, "<f4").tobytes())}),
        "output_norm.weight must contain finite numbers, got NaN or infinity",
    ),
}


@pytest.mark.parametrize(("content", "message"), MODELS.values(), ids=MODELS)
def test_a_model_that_does_not_fit_its_sizes_is_refused(opened, content, message):
    check(opened, message, content)


def test_a_model_that_takes_too_much_memory_is_refused_before_it_is_read(opened):
    rows = (1 << 24) // (4 * 11)
    huge = Stored((rows, 11), 0, bytes(4 * 11 * rows))
    tokens = [str(i) for i in range(rows)]
    values = {"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": [], "tokenizer.ggml.token_type": None}
    metadata = {key: value for key, value in (MADE.metadata | values).items() if value is not None}
    content = gguf(metadata | {"llama.vocab_size": rows}, MADE.tensors | {"token_embd.weight": huge})
    check(opened, f"the model must take at most {1 << 24:,} bytes in memory, got", content)
