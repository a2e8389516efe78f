"""Write `recorded`: a tiny random model of each family as transformers saves it, and what it makes of some ids.

Run once by hand: `pip install torch==2.13.0 transformers==5.24.0`, then `python -m tests.core.pretrained.record`. The
tests read the files and need neither. Every parameter is random, gains and biases too, so that none can be left out.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import AutoModelForCausalLM, GemmaConfig, GPT2Config, LlamaConfig, Qwen2Config

from attention_core.text.byte_pairs import ALPHABET

FOLDER = Path(__file__).with_name("recorded")
MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "hello"), ("Ġ", "t")]
IDS = [5, 77, 263, 5, 5, 260, 11, 130, 9, 200, 31]
ENDS = {"bos_token_id": 0, "eos_token_id": 1}
GPT2 = ENDS | {"n_embd": 20, "n_head": 5, "n_layer": 2, "n_positions": 61, "n_inner": 31}
LLAMA = ENDS | {
    "hidden_size": 24,
    "intermediate_size": 13,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 61,
    "head_dim": 4,
    "pad_token_id": None,
}
ROPE = {"rope_type": "default", "rope_theta": 500.0}
MODELS = {  # each with the type of its numbers, and how large its files may be
    "gpt2": (GPT2Config(**GPT2), torch.float32, "1GB"),
    "llama": (LlamaConfig(**LLAMA, rope_parameters=ROPE, rms_norm_eps=1e-5), torch.bfloat16, "20KB"),
    "qwen2": (Qwen2Config(**LLAMA, rope_parameters=ROPE, tie_word_embeddings=True), torch.float16, "1GB"),
    "gemma": (GemmaConfig(**LLAMA, rms_norm_eps=1e-6), torch.bfloat16, "1GB"),
}


def of_bytes() -> Tokenizer:
    """Return a tokeniser as that of GPT-2, with merges of its own."""
    tokens = ["<|start|>", "<|end|>", *ALPHABET, *("".join(pair) for pair in MERGES)]
    made = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, MERGES))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, normalized=False) for token in tokens[:2]])
    return made


def of_words() -> Tokenizer:
    """Return a tokeniser as that of Gemma: ▁ is a space, <0xC3> is a byte, and a text begins with <bos>."""
    letters, merges = "▁abcdefghijklmnopqrstuvwxyz", [("h", "e"), ("▁", "t"), ("▁t", "he")]
    tokens = ["<bos>", "<eos>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters, *map("".join, merges)]
    made = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges, byte_fallback=True))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens([AddedToken(token, normalized=False) for token in tokens[:2]])
    made.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[("<bos>", 0)])
    return made


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    outputs = {"ids": np.array(IDS)}
    for seed, (name, (config, kind, shard)) in enumerate(MODELS.items()):
        tokeniser = of_words() if name == "gemma" else of_bytes()
        config.vocab_size = tokeniser.get_vocab_size()
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config)
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=1.5 / parameter.shape[-1] ** 0.5 if parameter.dim() > 1 else 0.7)
        model.to(kind).save_pretrained(FOLDER / name, max_shard_size=shard)
        tokeniser.save(str(FOLDER / name / "tokenizer.json"), pretty=False)
        opened = AutoModelForCausalLM.from_pretrained(FOLDER / name, dtype=torch.float32, attn_implementation="eager")
        with torch.no_grad():
            found = opened(torch.tensor([IDS]), output_attentions=True)
        outputs[f"{name}.logits"] = found.logits[0].numpy()
        outputs[f"{name}.attention"] = torch.stack(found.attentions)[:, 0].numpy()
    np.savez_compressed(FOLDER / "outputs.npz", **outputs)
    sizes = {path.relative_to(FOLDER): path.stat().st_size for path in sorted(FOLDER.rglob("*")) if path.is_file()}
    print(json.dumps({str(path): size for path, size in sizes.items()}, indent=1), f"{sum(sizes.values()):,} bytes")


if __name__ == "__main__":
    main()
