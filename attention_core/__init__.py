"""Attention, from scratch: transformer attention and a small language model, in NumPy alone.

Sizes, as named in the comments beside the code: B sequences in a batch, H heads, T query positions, S key positions
(another letter even where T = S, because swapping them is the classic mistake), D width of the model, K width of a
head, F width inside the feed-forward layer, V tokens in the vocabulary, L layers, N rows when all axes but the last
are one, P numbers in a model. `...` stands for any batch axes, or none.

A forward pass returns (output, cache). Where the output itself is part of the lesson (attention, half a block, the
model) it stands in the cache, and that is returned alone.

A module imports only from those before it, so this is also the order in which to read them:

    arrays                           types, memory, and sums and products of rows
    checks                           what is said of bad input
    threads                          work shared by threads
    rows                             their norms and distances, and other orders of them

equations: one equation a file, its gradient under it; none knows of a model

    equations.softmax                scores become shares
    equations.masks                  who may look at whom
    equations.attention              softmax(q kᵀ / √K + mask) v, and its gradient
    equations.flash                  the same without the (T, S) matrix
    equations.positions              waves, rotations, distances
    equations.norm                   layer norm
    equations.feed_forward           each position on its own
    equations.heads                  several attentions side by side
    equations.multi_head             the same, written three ways
    equations.loss                   how surprised the model is

model: a language model made of the equations: trained, asked, and kept in files

    model.config                     the sizes and choices of a model
    model.parameters                 its numbers, their names and how they lie in memory
    model.block                      attention and feed-forward with their residual paths
    model.forward                    the language model, forwards and backwards
    model.activations                everything a forward pass computed, by name
    model.optimizer                  AdamW: how a gradient moves a parameter
    model.train                      batches, and one record a step
    model.kv_cache                   one more token for the price of a row: the KV cache
    model.generate                   choosing the next token
    model.npz                        arrays in files, and a reader that trusts none of them
    model.checkpoint                 models in files
    model.as_text                    a model as text

text: texts and tasks that a model learns from, and their words as numbers and vectors

    text.characters                  words and characters
    text.vocabulary                  their numbers
    text.word_vectors                their vectors and labels
    text.small_english               a small English
    text.recall_task                 tasks that a transformer solves by looking back
    text.corpora                     what a model can learn from

shipped: the models that ship, and the commands that make them

    shipped.runs                     a training run, and what decides every number of it
    shipped.models                   the models that ship, and the commands that make them

experiments: what lessons change, measure and do wrong on purpose; nothing in the other rooms needs it

    experiments.explain              where one number of attention comes from
    experiments.one_head             heads that do one thing that can be named
    experiments.several_heads        several heads: random, or one job each
    experiments.head_metrics         what a head does, in numbers
    experiments.wrong_on_purpose     what lessons do wrong on purpose
    experiments.perturb              what lessons change to see what moves
    experiments.random_scores        thousands of tables of random scores, and any one of them
    experiments.overflow             overflow and saturation, and what mends which
    experiments.head_parts           heads taken apart: slices, writes, a key removed
    experiments.costs                operations and memory by formula
    experiments.dependence           who depends on whom, found by trying
    experiments.attention_stack      attention alone, one layer on another
    experiments.position_similarity  how alike positions are, and what stays constant if they are right
    experiments.position_kinds       one head whose words know their places in five ways
    experiments.english_heads        the model of the small English at work, head by head
    experiments.probes               which word and which position a vector still tells
    experiments.next_token           what becomes of one bet, and many draws from it
    experiments.kv_cache_proof       the KV cache: what it spares and takes, and the proof that it changes nothing
    experiments.text_loss            a text as training examples, and what each costs
    experiments.gradient_step        down the gradient: a step taken, a slope measured
    experiments.held_out             what a model has learned, tested on what it never saw
    experiments.head_patterns        what the heads of a model do over many texts
    experiments.induction            how letters and digits are recalled, and without which head they are not
    experiments.compare_models       a model at a moment of its training, or without one of its parts
    experiments.logit_lens           what the layers before the last would bet
    experiments.residual_stream      the residual stream: who writes how much into it, its norms, the hidden units
    experiments.ablation             what a model says when one of its parts writes nothing
    experiments.architecture         the parts of a model, their shapes and what they hold
    experiments.shape_table          the glossary of shapes, with numbers
"""

import os

# Unless told otherwise, and if NumPy is not loaded yet, its products use one thread. A second gains models of this size
# little, and beside another busy process the two threads wait for each other: steps took seven times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.flash import flash_attention
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.multi_head import multi_head_attention
from attention_core.equations.norm import layer_norm
from attention_core.equations.positions import alibi_bias, rotate, sinusoidal_positions
from attention_core.equations.softmax import softmax
from attention_core.model.activations import insides
from attention_core.model.checkpoint import load, load_optimizer, save, save_optimizer
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights, logits, loss_and_gradients
from attention_core.model.generate import choices, generate
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, init_model, named_arrays
from attention_core.model.train import Batch, train

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
