"""The words of the field, each in one line. A lesson explains a term where it is first met."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from markupsafe import Markup


class Term(NamedTuple):
    """A term, its other names, what it means, and the lesson and step that show it."""

    name: str
    also: str
    meaning: str
    lesson: str
    step: str


TERMS = (
    Term(
        "token",
        "",
        "A piece of text that a model reads as one: a word, a part of it or a character.",
        "tiny_lm",
        "tokens",
    ),
    Term(
        "byte-pair encoding",
        "BPE",
        "Learns tokens: from bytes on, merges the most frequent pair of neighbours inside words, again and again.",
        "tiny_lm",
        "tokens",
    ),
    Term("vocabulary", "", "All tokens that a model knows; each has an id, its number in the list.", "tiny_lm", "bet"),
    Term("position", "", "Where a token stands in its sequence: first, second, third.", "positional_encoding", "order"),
    Term("embedding", "word vector", "The vector that stands for a token; training sets it.", "qkv", "x"),
    Term("dot product", "inner product", "Multiply two vectors entry by entry and add the products.", "qkv", "dot"),
    Term("d_model", "hidden_size, embed_dim, width", "How many entries a token’s vector has.", "qkv", "x"),
    Term(
        "parameter",
        "weight of a network",
        "A number that training sets, such as an entry of W_Q.",
        "qkv",
        "projections",
    ),
    Term("query", "q", "What a token looks for: its vector times W_Q.", "qkv", "projections"),
    Term("key", "k", "What a token can be found by: its vector times W_K.", "qkv", "projections"),
    Term("value", "v", "What a token passes on: its vector times W_V.", "qkv", "projections"),
    Term("score", "attention logit", "The dot product of a query and a key, before softmax.", "qkv", "match"),
    Term(
        "softmax",
        "",
        "Turns scores into weights from 0 to 1 that sum to 1: eˣ, divided by the sum of all of them.",
        "qkv",
        "softmax",
    ),
    Term(
        "attention weight",
        "attention probability",
        "How much of a key’s value a query takes, from 0 to 1. A query’s weights sum to 1.",
        "qkv",
        "softmax",
    ),
    Term(
        "self-attention",
        "",
        "Attention in which queries, keys and values come from the same sequence.",
        "qkv",
        "match",
    ),
    Term(
        "output",
        "weighted sum, context vector",
        "What attention returns for a query: the values added up, each times its weight.",
        "qkv",
        "mix",
    ),
    Term(
        "scaled dot-product attention",
        "",
        "The transformer’s formula: scores ÷ √d_k, softmax, and a weighted sum of the values.",
        "qkv",
        "mix",
    ),
    Term("derivative", "slope", "How fast one number changes with another.", "scaling", "gradient"),
    Term(
        "saturation", "", "One weight is nearly 1, so that softmax hardly reacts to its scores.", "scaling", "gradient"
    ),
    Term(
        "head",
        "attention head",
        "One of several attentions side by side, each usually with its own W_Q, W_K and W_V.",
        "multi_head",
        "heads",
    ),
    Term(
        "W_O",
        "output projection, out_proj",
        "The matrix that combines the concatenated outputs of all heads.",
        "multi_head",
        "writes",
    ),
    Term(
        "cross-attention",
        "encoder–decoder attention",
        "Attention with queries from one sequence, keys and values from another.",
        "multi_head",
        "across",
    ),
    Term("causal mask", "look-ahead mask", "Blocks every key that comes after the query.", "causal_mask", "see"),
    Term(
        "position encoding",
        "positional encoding",
        "Gives a model the positions of tokens: a vector that is added, a rotation, or a penalty.",
        "positional_encoding",
        "simple",
    ),
    Term(
        "RoPE",
        "rotary position embedding",
        "Rotates queries and keys by an angle for each position.",
        "positional_encoding",
        "rope",
    ),
    Term("ALiBi", "linear biases", "Subtracts slope × distance from each score.", "positional_encoding", "compare"),
    Term(
        "transformer",
        "",
        "A network of blocks, each usually of attention and a small network (MLP). In a decoder-only one, such as GPT, "
        "tokens attend only to themselves and earlier ones.",
        "tiny_lm",
        "parts",
    ),
    Term("language model", "LM", "A model that gives each token a probability of coming next.", "tiny_lm", "bet"),
    Term("logit", "", "A number for each token before softmax makes it a probability.", "tiny_lm", "draw"),
    Term(
        "prediction",
        "probability distribution over the next token",
        "The probabilities of all tokens to come next, which sum to 1. The likeliest is the predicted token.",
        "tiny_lm",
        "bet",
    ),
    Term(
        "sampling",
        "",
        "Choosing the next token at random, by its probability. Greedy decoding always chooses the likeliest.",
        "tiny_lm",
        "draw",
    ),
    Term(
        "temperature",
        "T",
        "Divides what softmax reads: below 1 makes the result more peaked, above 1 flatter.",
        "tiny_lm",
        "draw",
    ),
    Term("top-k", "", "Keeps only the k likeliest tokens.", "tiny_lm", "draw"),
    Term("top-p", "nucleus sampling", "Keeps the fewest, likeliest tokens that together reach p.", "tiny_lm", "draw"),
    Term("start token", "BOS (beginning of sequence)", "Stands before each text, in training too.", "tiny_lm", "start"),
    Term("attention sink", "", "A token, often the first, with much weight from many heads.", "tiny_lm", "start"),
    Term("autoregressive", "", "Each new token is appended and read to predict the next one.", "tiny_lm", "bet"),
    Term("inference", "", "Running a trained model: a forward pass, without training.", "tiny_lm", "cache"),
    Term("KV cache", "", "Keys and values of earlier tokens, kept so that they are computed once.", "tiny_lm", "cache"),
    Term("cross-entropy", "loss", "The mean of −log p over the tokens that really came.", "tiny_lm", "loss"),
    Term("perplexity", "", "e to the loss: among how many equally likely tokens the model chooses.", "tiny_lm", "loss"),
    Term(
        "gradient",
        "slopes, partial derivatives",
        "How fast the loss changes with each of some numbers: parameters, the scores of a row or a query.",
        "tiny_lm",
        "gradient",
    ),
    Term("backpropagation", "", "Computes the gradient from the loss back, layer by layer.", "tiny_lm", "gradient"),
    Term(
        "AdamW",
        "",
        "Gradient descent that averages gradients, rescales steps and shrinks matrices.",
        "tiny_lm",
        "train",
    ),
    Term("validation loss", "held-out loss", "The loss on text that was kept out of training.", "tiny_lm", "train"),
    Term("checkpoint", "", "The parameters of a model, saved at one step of its training.", "tiny_lm", "time"),
    Term("baseline", "", "A simple prediction whose loss a model should beat.", "tiny_lm", "time"),
    Term("unigram", "1-gram", "Predicts each token as often as it came in training.", "tiny_lm", "time"),
    Term("bigram", "2-gram", "Predicts from only the last token, by counting pairs.", "tiny_lm", "time"),
    Term("trigram", "3-gram", "Predicts from the last two tokens, by counting triples.", "tiny_lm", "time"),
    Term(
        "activation patching",
        "",
        "Replacing what a part computes by what it computed on another prompt.",
        "tiny_lm",
        "bench",
    ),
    Term(
        "induction head",
        "",
        "Attends to the token that followed an earlier copy of the query’s token, and raises its logit.",
        "tiny_lm",
        "copy",
    ),
    Term(
        "MLP",
        "feed-forward layer, FFN",
        "Two matrices, in some models three, with an activation between. Each position is computed by itself.",
        "tiny_lm",
        "parts",
    ),
    Term("activation", "nonlinearity", "The function inside an MLP, such as GELU or ReLU.", "tiny_lm", "parts"),
    Term(
        "LayerNorm",
        "layer normalization",
        "Brings a vector to mean 0 and standard deviation 1, then applies gain and bias.",
        "tiny_lm",
        "parts",
    ),
    Term("unembedding", "lm_head, output layer", "The matrix that makes logits of a vector.", "tiny_lm", "lens"),
    Term("residual stream", "hidden state", "The vector of a position, to which each layer adds.", "tiny_lm", "stream"),
    Term("residual connection", "skip connection", "Adds the input of a layer to its output.", "tiny_lm", "stream"),
    Term("logit lens", "", "Reads a prediction from the stream after each layer.", "tiny_lm", "lens"),
    Term("in-context learning", "", "Using what stands in the prompt, without new training.", "tiny_lm", "copy"),
)
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
    dfn = Markup('<dfn tabindex="0">{}<span role="tooltip">{}</span></dfn>')
    return str(dfn.format(Markup(match[1]), meaning))  # noqa: S704  escaped by `inline`
