"""Pretrained language models, read from GGUF files and from folders with safetensors."""

from attention_core.pretrained.find import find_pretrained
from attention_core.pretrained.real_model import RealModel, open_folder, open_gguf, open_pretrained

__all__ = ["RealModel", "find_pretrained", "open_folder", "open_gguf", "open_pretrained"]
