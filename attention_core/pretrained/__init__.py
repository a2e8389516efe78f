"""Pretrained language models of the Llama family, read from GGUF files."""

from attention_core.pretrained.find import find_pretrained
from attention_core.pretrained.real_model import RealModel, open_gguf

__all__ = ["RealModel", "find_pretrained", "open_gguf"]
