"""Attention, from scratch: transformer attention and a small language model, in NumPy alone."""
from attention_core.arrays import *
from attention_core.train import train, AdamW
from attention_core.config import Config
from attention_core.parameters import init_model, named_arrays
from attention_core.model import logits, attention_weights, loss_and_gradients
from attention_core.generate import generate, choices
from attention_core.flash import flash_attention
