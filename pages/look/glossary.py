"""The words of the field, each in one line. A lesson explains a term where it is first met."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

from markupsafe import Markup


class Term(NamedTuple):
    """A term, its other names, what it means, and the lesson and step that show it."""

    name: str
    also: str
    meaning: str
    lesson: str
    step: str


GLOSSARY = """
token `tiny_lm/tokens`
A piece of text that a model reads as one: a word, a part of it or a character.
byte-pair encoding (BPE) `tiny_lm/tokens`
Learns tokens: from bytes on, merges the most frequent pair of neighbours inside words, again and again.
vocabulary `tiny_lm/bet`
All tokens that a model knows; each has an id, its number in the list.
position `positional_encoding/order`
Where a token stands in its sequence: first, second, third.
embedding (word vector) `qkv/x`
The vector that stands for a token. In a trained model, training sets it.
dot product (inner product) `qkv/dot`
Multiply two vectors entry by entry and add the products.
d_model (hidden_size, embed_dim, width) `qkv/x`
How many entries a token’s vector has.
parameter (weight of a network) `qkv/projections`
A number that training sets, such as an entry of W_Q.
query (q) `qkv/projections`
What a token looks for: its vector times W_Q.
key (k) `qkv/projections`
What a token can be found by: its vector times W_K.
value (v) `qkv/projections`
What a token passes on: its vector times W_V.
score (attention logit) `qkv/match`
The dot product of a query and a key, before softmax.
softmax `qkv/softmax`
Turns scores into weights from 0 to 1 that sum to 1: eˣ, divided by the sum of all of them.
attention weight (attention probability) `qkv/softmax`
How much of a key’s value a query takes, from 0 to 1. If a query may attend to any key, its weights sum to 1.
self-attention `qkv/match`
Attention in which queries, keys and values come from the same sequence.
output (weighted sum, context vector) `qkv/mix`
What attention returns for a query: the values added up, each times its weight.
scaled dot-product attention `qkv/mix`
The transformer’s formula: scores ÷ √d_k, softmax, and a weighted sum of the values.
derivative (slope) `scaling/gradient`
How fast one number changes with another.
saturation `scaling/gradient`
One weight is nearly 1, so that softmax hardly reacts to its scores.
head (attention head) `multi_head/heads`
One of several attentions side by side, each usually with its own W_Q, W_K and W_V.
W_O (output projection, out_proj) `multi_head/writes`
The matrix that combines the concatenated outputs of all heads.
cross-attention (encoder–decoder attention) `multi_head/across`
Attention with queries from one sequence, keys and values from another.
causal mask (look-ahead mask) `causal_mask/see`
Blocks every key that comes after the query.
position encoding (positional encoding) `positional_encoding/simple`
Gives a model the positions of tokens: a vector that is added, a rotation, or a penalty.
RoPE (rotary position embedding) `positional_encoding/rope`
Rotates queries and keys by an angle for each position.
ALiBi (linear biases) `positional_encoding/compare`
Subtracts slope × distance from each score.
transformer `tiny_lm/parts`
A network of blocks, each usually of attention and a small network (MLP). In a decoder-only one, such as GPT, tokens \
attend only to themselves and earlier ones.
language model (LM) `tiny_lm/bet`
A model that gives each token a probability of coming next.
logit `tiny_lm/draw`
A number for each token before softmax makes it a probability.
prediction (probability distribution over the next token) `tiny_lm/bet`
The probabilities of all tokens to come next, which sum to 1. The likeliest is the predicted token.
sampling `tiny_lm/draw`
Choosing the next token at random, by its probability. Greedy decoding always chooses the likeliest.
temperature (T) `tiny_lm/draw`
Divides what softmax reads: below 1 makes the result more peaked, above 1 flatter.
top-k `tiny_lm/draw`
Keeps only the k likeliest tokens.
top-p (nucleus sampling) `tiny_lm/draw`
Keeps the fewest, likeliest tokens that together reach p.
autoregressive `tiny_lm/bet`
Each new token is appended and read to predict the next one.
inference `tiny_lm/cache`
Running a trained model: a forward pass, without training.
KV cache `tiny_lm/cache`
Keys and values of earlier tokens, kept so that they are computed once.
nat (nats) `tiny_lm/loss`
The unit of a loss or an entropy with the natural logarithm. One of two equal choices has 0.69 nats.
cross-entropy (loss) `tiny_lm/loss`
The mean of −log p over the tokens that really came.
perplexity `tiny_lm/loss`
e to the loss: among how many equally likely tokens the model chooses.
gradient (slopes, partial derivatives) `tiny_lm/gradient`
How fast the loss changes with each of some numbers: parameters, the scores of a row or a query.
backpropagation `tiny_lm/gradient`
Computes the gradient from the loss back, layer by layer.
AdamW `tiny_lm/train`
Gradient descent that averages gradients, rescales steps and shrinks matrices.
validation loss (held-out loss) `tiny_lm/train`
The loss on text that was kept out of training.
checkpoint `tiny_lm/time`
The parameters of a model, saved at one step of its training.
baseline `tiny_lm/time`
A simple prediction whose loss a model should beat.
unigram (1-gram) `tiny_lm/time`
Predicts each token as often as it came in training.
bigram (2-gram) `tiny_lm/time`
Predicts from only the last token, by counting pairs.
trigram (3-gram) `tiny_lm/time`
Predicts from the last two tokens, by counting triples.
activation patching `tiny_lm/bench`
Replacing what a part computes by what it computed on another prompt.
induction head `tiny_lm/copy`
Attends to the token that followed an earlier copy of the query’s token, and raises its logit.
MLP (feed-forward layer, FFN) `tiny_lm/parts`
Two matrices, in some models three, with an activation between. Each position is computed by itself.
activation (nonlinearity) `tiny_lm/parts`
The function inside an MLP, such as GELU or ReLU.
LayerNorm (layer normalization) `tiny_lm/parts`
Brings a vector to mean 0 and standard deviation 1, then applies gain and bias.
unembedding (lm_head, output layer) `tiny_lm/lens`
The matrix that makes logits of a vector.
residual stream (hidden state) `tiny_lm/parts`
The vector of a position, to which each layer adds.
residual connection (skip connection) `tiny_lm/parts`
Adds the input of a layer to its output.
logit lens `tiny_lm/lens`
Reads a prediction from the stream after each layer.
in-context learning `tiny_lm/copy`
Using what stands in the prompt, without new training.
"""
LABELS = """
dimension: Which number of a vector.
noun: 1 if it is a known noun, else 0.
adjective: 1 if it is a known adjective, else 0.
pronoun: 1 if it is a known pronoun, else 0.
constant: Always 1.
early: 1 divided by the position, so early words have more.
clock #: Where the word is, as the hand of a clock.
word #: A number of the word’s own vector; small words such as “it” have 0.
x: The numbers of the word’s vector.
q: The numbers of the query.
k: The numbers of the key.
v: The numbers of the value.
q#: A query of random numbers, which stands for no word.
k#: A key of random numbers, which stands for no word.
W_Q: A column of the matrix that makes queries.
W_K: A column of the matrix that makes keys.
W_V: A column of the matrix that makes values.
stage: A step of the calculation.
score ÷ √#: The scaled score, divided by the root of the key’s width.
scaled score: The score divided by √d_k, the root of the key’s width.
exponential: E (2.718…) raised to the scaled score.
e#: E (2.718…) raised to the number above.
row sum: The exponentials of all keys, added.
÷ row sum: Divided by the exponentials of all keys, added.
Σ: The sum of the row.
weight: How much the query takes from this key: all weights of a row sum to 1.
it + output: The vector of the word after its output is added.
cosine: 1 if two vectors point the same way, 0 if they are at a right angle.
not divided: The scores stay as they are.
divisor: What the scores are divided by.
d_k: How many numbers a query and a key have.
√d_k: The root of the key’s width.
÷ √d_k: The scores are divided by the root of the key’s width.
÷ d_k: The scores are divided by the key’s width.
variance of the scores: The mean of their squared distances from the mean.
theory: What probability theory expects.
loss: One number for “how wrong”: 0 is the best.
slope: How fast the loss changes with the parameter.
change of one parameter: What is added to one number of W_Q.
size of the slopes of a row: The root of the sum of all its squared slopes.
entry of x: Which number of the word’s vector it multiplies: a row of W_Q.
entry of q: Which number of the query it makes: a column of W_Q.
hollow: This number is below 0.
written by heads: What each head adds to an entry of the output; the tick is the sum.
measure: A way to say how much a key matters.
contribution: The weight times the length of the key’s value after W_O.
effect: How far the output moves if the key is removed.
"""


def terms_in(glossary: str) -> Iterator[Term]:
    """Yield terms of two lines each: the name, other names in brackets, `lesson/step`; and the meaning."""
    lines = glossary.strip().splitlines()
    for head, meaning in zip(lines[::2], lines[1::2], strict=True):
        names, _, place = head.rpartition(" ")
        name, _, also = names.partition(" (")
        yield Term(name, also.removesuffix(")"), meaning, *place.strip("`").split("/"))


TERMS = tuple(terms_in(GLOSSARY))
NUMBER = re.compile(r"[−-]?\d[\d.,]*")


def bare(label: str) -> str:
    """Return a label as it is looked up, as `labels.js` does: “clock 2 ↓” is clock #, and ÷ √dₖ is ÷ √dk."""
    return NUMBER.sub("#", normalize("NFKC", label).replace("_", "")).strip(" :×↑→↓").lower()


MEANINGS = {bare(term.name): term.meaning.replace("d_k", "dₖ") for term in TERMS} | {
    bare(label): meaning.replace("d_k", "dₖ")
    for label, _, meaning in (line.partition(": ") for line in LABELS.strip().splitlines())
}


def meaning(label: str) -> str | None:
    """Return what a label of a picture means, with its number or without; None where it is plain English."""
    name = bare(label)
    return MEANINGS.get(name) or MEANINGS.get(name.partition(":")[0].rstrip(" #"))


# The terms by their names, and by other names of several words: a name inside of a longer one is not said.
NAMED: dict[str, Term | None] = {
    name.lower(): term
    for term in TERMS
    for name in (term.name, *(also for also in term.also.split(", ") if " " in also))
} | {"output of every": None, "output of each": None}  # of parts of a model, which need not be attention
SAID = re.compile(  # not inside of code, or of a name in braces
    rf"(?<![\w`{{:-])({'|'.join(map(re.escape, sorted(NAMED, key=len, reverse=True)))})(?:e?s)?(?![\w`}}-])",
    re.IGNORECASE,
)


def term_of(match: re.Match[str]) -> Term | None:
    """Return the term that a text says in one place, or None where it says something longer or code."""
    in_code = match.string.count("`", 0, match.start()) % 2 == 1
    return None if in_code else NAMED[match[1].lower()]


@cache
def introduce(text: str, before: Sequence[str]) -> str:
    """Return a text in which each term that no text before it said is marked: [[term]]."""
    said = {term_of(match) for earlier in before for match in SAID.finditer(earlier)} | {None}

    def marked(match: re.Match[str]) -> str:
        if (term := term_of(match)) in said:
            return match[0]
        said.add(term)
        return f"[[{match[0]}]]"

    return SAID.sub(marked, text)


def explained(match: re.Match[str]) -> str:
    """Return a marked term with its meaning, which is shown under the pointer, and with the keyboard's focus."""
    said = SAID.fullmatch(match[1])
    term = said and term_of(said)
    if said is None or term is None:  # brackets of something else
        return match[0]
    others = [name for name in (term.name, *term.also.split(", ")) if name and name.lower() != said[1].lower()]
    meaning = f"Also called {', '.join(others)}. {term.meaning}" if others else term.meaning
    upright = "font-style:normal"  # said here, as italics would fetch a font before the style sheet is there
    dfn = Markup('<dfn tabindex="0" style="{}">{}<span role="tooltip">{}</span></dfn>')
    return str(dfn.format(upright, Markup(match[1]), meaning))  # noqa: S704  escaped by `inline`
