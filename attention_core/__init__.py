"""Attention, from scratch: transformer attention and a small language model, in NumPy alone.

Sizes, as named in the comments beside the code: B sequences in a batch, H heads, T query positions, S key positions
(another letter even where T = S, because swapping them is the classic mistake), D width of the model, K width of a
head, F width inside the feed-forward layer, V tokens in the vocabulary, L layers, N rows when all axes but the last
are one, P numbers in a model. `...` stands for any batch axes, or none.

A forward pass returns (output, cache). Where the output itself is part of the lesson (attention, half a block, the
model) it stands in the cache, and that is returned alone.

A module imports only from those before it, so this is also the order in which to read them:

    arrays         types, memory, and sums and products of rows
    checks         what is said of bad input
    threads        work shared by threads
    softmax        scores become shares
    masks          who may look at whom
    attention      softmax(q kᵀ / √K + mask) v, and its gradient
    derivation     where one number of attention comes from
    flash          the same without the (T, S) matrix
    positions      waves, rotations, distances
    norm           layer norm
    feed_forward   each position on its own
    heads          several attentions side by side
    multi_head     the same, written three ways
    loss           how surprised the model is
    config         the sizes and choices of a model
    parameters     its numbers, their names and how they lie in memory
    block          attention and feed-forward with their residual paths
    model          the language model, forwards and backwards
    insides        everything a forward pass computed, by name
    examples       a text as training examples, and what each costs
    descent        down the gradient: a step taken, a slope measured
    lens           what the layers before the last would bet
    stream         the residual stream: who writes how much into it, its norms, the hidden units
    left_out       what a model says when one of its parts writes nothing
    optimizer      AdamW: how a gradient moves a parameter
    train          batches, and one record a step
    decode         one more token for the price of a row: the KV cache
    generate       choosing the next token
    archive        arrays in files, and a reader that trusts none of them
    checkpoint     models in files
    text           words and characters
    vocabulary     their numbers
    words          their vectors and labels
    tasks          tasks that a transformer solves by looking back
    grammar        a small English
    sources        what a model can learn from
    plans          a training run, and what decides every number of it
    shipped        the models that ship, and the commands that make them
    packed         a model as text
    hand_set       heads that do one thing that can be named
    head_sets      several heads: random, or one job each
    measures       what a head does, in numbers
    bets           what becomes of one bet, and many draws from it
    examined       what a model has learned, tested on what it never saw
    patterns       what the heads of a model do over many texts
    copying        how letters and digits are recalled, and without which head they are not
    twins          a model at a moment of its training, or without one of its parts
    heads_apart    heads taken apart: slices, writes, a key removed
    draws          thousands of tables of random scores, and any one of them
    overflow       overflow and saturation, and what mends which
    mistakes       what lessons do wrong on purpose
    likeness       how alike positions are, and what stays constant if they are right
    places         one head whose words know their places in five ways
    shapes         the glossary of shapes, with numbers
    what_if        what lessons change to see what moves
    leaks          who depends on whom, found by trying
    layers         attention alone, one layer on another
    trained        the model of the small English at work, head by head
    read_back      which word and which position a vector still tells
    costs          operations and memory by formula
    cached         the KV cache: what it spares and takes, and the proof that it changes nothing
    architecture   the parts of a model, their shapes and what they hold
"""

import os

# Unless told otherwise, and if NumPy is not loaded yet, its products use one thread. A second gains models of this size
# little, and beside another busy process the two threads wait for each other: steps took seven times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from attention_core.attention import scaled_dot_product_attention
from attention_core.checkpoint import load, load_optimizer, save, save_optimizer
from attention_core.config import Config
from attention_core.flash import flash_attention
from attention_core.generate import choices, generate
from attention_core.insides import insides
from attention_core.masks import additive_mask, causal_mask
from attention_core.model import attention_weights, logits, loss_and_gradients
from attention_core.multi_head import multi_head_attention
from attention_core.norm import layer_norm
from attention_core.optimizer import AdamW
from attention_core.parameters import Model, init_model, named_arrays
from attention_core.positions import alibi_bias, rotate, sinusoidal_positions
from attention_core.softmax import softmax
from attention_core.train import Batch, train

__all__ = [
    "AdamW",
    "Batch",
    "Config",
    "Model",
    "additive_mask",
    "alibi_bias",
    "attention_weights",
    "causal_mask",
    "choices",
    "flash_attention",
    "generate",
    "init_model",
    "insides",
    "layer_norm",
    "load",
    "load_optimizer",
    "logits",
    "loss_and_gradients",
    "multi_head_attention",
    "named_arrays",
    "rotate",
    "save",
    "save_optimizer",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
    "softmax",
    "train",
]
