"""Attention, from scratch: transformer attention and a small language model, in NumPy alone.

The comments beside the code give array shapes in these letters: B sequences in a batch, H heads, T query positions,
S key positions (another letter even where T = S, because swapping them is the classic mistake), D model width, K head
width, F width inside the feed-forward layer (MLP), V vocabulary size or, in attention, width of a value, L layers, N
rows when all axes but the last are flattened, P parameters of a model. `...` stands for any number of batch axes.

A forward pass returns (output, cache). Where the output itself is part of the lesson (attention, half a block, the
model) the cache contains it, and the cache alone is returned.

A module imports only modules above it in this list, so this is also the order in which to read them:

    arrays                           types, fast row sums and products
    checks                           argument checks
    inputs                           the inputs of attention, brought to one type and common axes
    array_files                      arrays in .safetensors files
    threads                          functions that all threads run, or one at a time
    data_files                       the data files of this package
    rows                             lengths (norms), cosines, distances, orders; where a row is largest

equations: one equation per file, its gradient below it; none depends on the model

    equations.softmax                scores become weights
    equations.masks                  which keys a query may attend to
    equations.attention              softmax(q kᵀ / √K + mask) v, and its gradient
    equations.flash                  the same without the (T, S) matrix
    equations.positions              sinusoids, RoPE, ALiBi
    equations.norm                   LayerNorm, RMSNorm
    equations.activation_functions   GELU, ReLU, SiLU
    equations.feed_forward           the feed-forward layer (MLP)
    equations.heads                  multi-head attention, packed weights
    equations.multi_head             the same of any inputs, and the write of each head
    equations.loss                   cross-entropy

model: a language model made of the equations: training, generation, files

    model.config                     sizes and architecture
    model.parameters                 parameters, their names and their layout in memory
    model.block                      attention and MLP with LayerNorm and residual connections
    model.forward                    the language model, forward and backward pass
    model.activations                all activations of a forward pass, by name
    model.optimizer                  AdamW
    model.train                      batches, and one record a step
    model.kv_cache                   token-by-token inference with a KV cache
    model.generate                   sampling: temperature, top-k, top-p
    model.checkpoint                 models in files

text: training texts and tasks, and their tokens as numbers and vectors

    text.encoded                     models and arrays encoded as text, for scripts and files
    text.characters                  words and characters
    text.vocabulary                  tokens and their ids
    text.byte_pairs                  byte-pair encoding
    text.n_grams                     n-gram models: counts of what followed the last tokens
    text.word_vectors                random word vectors, and axis labels
    text.small_english               a synthetic English
    text.recall_task                 associative recall and repeated sequences
    text.story_words                 the words of the small stories
    text.stories                     small stories, and what is known of each word
    text.story_exercises             short rows that train heads to find what was said
    text.corpora                     training sources

shipped: the shipped models, and the commands that rebuild them

    shipped.runs                     training runs and their plans
    shipped.plans                    the models that ship: sources, training plans, saved steps
    shipped.models                   their parameters, curves, losses and cards
    shipped.files                    training them again, and writing their files

pretrained: real models from files, and their tokenisers

    pretrained.tokeniser             text and ids, by byte-pair encoding
    pretrained.stored                arrays in files, brought into memory
    pretrained.gguf_model            the config and the parameters of a Llama model in a GGUF file
    pretrained.families              GPT-2, Llama, Qwen2, Gemma: names of arrays, configs
    pretrained.hugging_face          the parameters of a model in a folder with safetensors
    pretrained.real_model            a pretrained model with its tokeniser
    pretrained.find                  where a pretrained model is

experiments: measurements, interventions, deliberate mistakes, by the lessons; others need them in commands alone

    experiments.qkv.explain                     one weight or one output, term by term
    experiments.qkv.one_head                    one head: random, or hand-made for a job
    experiments.qkv.named_head                  one head made by hand from small numbers, with named columns
    experiments.qkv.nearest_words               which words a vector is near, and a plane to see them in
    experiments.qkv.wrong_on_purpose            deliberate mistakes
    experiments.qkv.perturb                     small interventions on one head, and what changes
    experiments.qkv.two_matrices                one matrix for queries and keys, or both merged into one
    experiments.scaling.head_metrics            entropy, saturation, typical targets, blocked keys
    experiments.scaling.random_scores           statistics of random score matrices
    experiments.scaling.untrained_row           one row before training, at every key width
    experiments.scaling.train_head              a small head trained, its scores divided or not
    experiments.scaling.overflow                overflow and saturation, and the remedy for each
    experiments.multi_head.several_heads        several heads: random, or one job each
    experiments.multi_head.loop_and_einsum      multi-head attention in two other ways
    experiments.multi_head.head_parts           input slices, contributions, ablation of heads and keys
    experiments.multi_head.english_heads        the heads of the shipped English model, and its prediction without one
    experiments.multi_head.retrained            the same model from other seeds: which head has which job
    experiments.masks.painted_masks             masks painted cell by cell, and what can reach what through one
    experiments.masks.attention_stack           a stack of attention-only layers
    experiments.positions.position_similarity   similarity of positions, invariants of encodings, two simple codes
    experiments.positions.position_kinds        one head under five position encodings
    experiments.positions.probes                word and position recovered from their sum
    experiments.positions.beyond                texts longer than those of the training
    experiments.language.costs                  floating-point operations (FLOPs) and memory by formula
    experiments.language.each_merge             a text cut into pieces after each merge of byte-pair encoding
    experiments.language.next_token             sampling decisions, every temperature, the size of a nucleus
    experiments.language.kv_cache_proof         the KV cache: savings, validity, and proof of equal results
    experiments.language.smaller_caches         shared keys and values, or a window: losses on the copy task
    experiments.language.text_loss              a text as training examples, and their losses
    experiments.language.gradient_step          a line search along a gradient, and a text memorised
    experiments.language.one_step               one training step of one head, number by number
    experiments.language.held_out               accuracy on held-out rows
    experiments.language.story_probes           graded probes of a model of the small stories
    experiments.language.architecture           the parts of a model, their shapes and costs
    experiments.inside.induction                induction heads and their ablation
    experiments.inside.compare_models           what a model gets right in training, and when it generates
    experiments.inside.logit_lens               the logit lens
    experiments.inside.score_split              one score split by who wrote query and key (QK attribution)
    experiments.inside.patching                 heads switched off, or patched from another run (activation patching)
    experiments.inside.claim_texts              the texts on which claims of the lessons are measured
    experiments.inside.real_claims              the claims of the lessons, measured in a pretrained model too
    experiments.inside.real_reading             predictions, heads and logit lens of a pretrained model
"""

import os
import platform
import warnings

# `from __future__ import annotations` in the modules below keeps np.random, which is slow to load, out of this import:
# they name it in annotations only.

# One thread for NumPy's products, unless the environment says otherwise or NumPy is already loaded. A second thread
# gains little for models of this size. Beside another busy process both threads wait: steps took seven times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# On ARM processors with SME, such as Apple's M4, a product sets flags that NumPy reads as a division by zero.
MISREADS_FLAGS = platform.machine().lower() in ("arm64", "aarch64")
if MISREADS_FLAGS:
    warnings.filterwarnings("ignore", ".* encountered in (dot|matmul)", RuntimeWarning)

from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.flash import flash_attention
from attention_core.equations.loss import cross_entropy
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.multi_head import multi_head_attention
from attention_core.equations.norm import layer_norm, rms_norm
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
    "AdamW", "Batch", "Config", "Model", "additive_mask", "alibi_bias", "attention_weights", "causal_mask",
    "choices", "cross_entropy", "flash_attention", "generate", "init_model", "insides", "layer_norm", "load",
    "load_optimizer", "logits", "loss_and_gradients", "multi_head_attention", "named_arrays", "rms_norm", "rotate",
    "save", "save_optimizer", "scaled_dot_product_attention", "sinusoidal_positions", "softmax", "train",
]  # fmt: skip
