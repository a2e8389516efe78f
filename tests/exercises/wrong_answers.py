"""Honest mistakes, each with the diagnosis that it should get, and slips with the sentence that helps.

A row of the table is a diagnosis, or `nothing` where no known mistake explains it, and the body of the function that
the heading names. ⏎ stands for a new line, as a line that is indented does, and {NAMES} for what several rows share.
"""

import re

from pages.exercises.catalogue import EXERCISES

SM = """import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)
"""
WEIGHTS = SM + "def compute_attention_weights(Q, K):\n    d = K.shape[-1]\n"
ATT = SM + "def attention(Q, K, V):\n    d = K.shape[-1]\n"
CAUSAL = SM + "def apply_causal_attention(Q, K, V):\n    n, d = K.shape\n    s = Q @ K.T / np.sqrt(d)\n"
SOFT = "import numpy as np\ndef softmax(x):\n"
SCORE = "import numpy as np\ndef compute_scores(Q, K):\n    d = K.shape[-1]\n"
MASK = "import numpy as np\ndef causal_mask(n):\n"
SPLIT = "import numpy as np\ndef split_heads(X, n_heads):\n    T, D = X.shape\n    K = D // n_heads\n"
JOIN = "import numpy as np\ndef join_heads(heads):\n    H, T, K = heads.shape\n"
ROPE = "import numpy as np\ndef rope(x):\n    T, K = x.shape\n    t, i = np.arange(T)[:, None], np.arange(K // 2)\n"
TOKEN = "import numpy as np\ndef next_token(logits, temperature, top_k, u):\n"
HEADS = (
    SM
    + """def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    T, D = X.shape
    d = D // n_heads
    def split(M): return M.reshape(T, n_heads, d).transpose(1, 0, 2)
"""
)
LOSS = SM + "def cross_entropy(logits, targets):\n    t = np.arange(len(targets))\n    p = softmax(logits)\n"
NEXT = SM + "def attend_next(x, K, V, W_Q, W_K, W_V):\n    d = K.shape[-1]\n    q, k, v = x @ W_Q, x @ W_K, x @ W_V\n"
SCORED = "import numpy as np\ndef induction_score(weights, n):\n    t = np.arange(n, 2 * n)\n"
BEGINNINGS = {
    "softmax": SOFT,
    "scores": SCORE,
    "attention_weights": WEIGHTS,
    "attention": ATT,
    "causal_attention": CAUSAL,
    "causal_mask": MASK,
    "split_heads": SPLIT,
    "join_heads": JOIN,
    "rope": ROPE,
    "next_token": TOKEN,
    "multi_head": HEADS,
    "cross_entropy": LOSS,
    "kv_cache": NEXT,
    "induction_score": SCORED,
}
SHARED = {
    "TURNED": "c, s, p, q = np.cos(a), np.sin(a), x[:, ::2], x[:, 1::2]\n"
    "return np.stack([p * c - q * s, p * s + q * c], -1).reshape(T, K)",
    "JOINED": ".transpose(1, 0, 2).reshape(T, D) @ W_O",
    "HIDDEN": "np.where(np.tri(n) == 0, -np.inf, s)",
    "QKV": "q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V)\ns = q @ k.mT / np.sqrt(d)",
    "SPEEDS": "a = t / 10000 ** (2 * i / K)",
    "PICKED": "p /= p.sum()\nreturn o[np.argmax(np.cumsum(p) > u)]",
    "LATE": "e = np.exp(s) - s.max(-1, keepdims=True)\nw = e / e.sum(-1, keepdims=True)",
    "BOTH": "K, V = np.vstack([K, k]), np.vstack([V, v])",
}
TABLE = """
[softmax]
softmax_axis0: e = np.exp(x - x.max()) ⏎ return e / e.sum(axis=0)
softmax_all: e = np.exp(x - x.max()) ⏎ return e / e.sum()
unstable: return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
softmax_all unstable: return np.exp(x) / np.exp(x).sum()
norm_l1: return x / x.sum(axis=-1, keepdims=True)
exp_only unstable: return np.exp(x)
shift_all: e = np.exp(x - np.max(x)) ⏎ return e / e.sum(axis=-1, keepdims=True)
shift_axis0: e = np.exp(x - x.max(axis=0)) ⏎ return e / e.sum(axis=-1, keepdims=True)
sigmoid: return 1 / (1 + np.exp(-np.clip(x, -50, 50)))
no_softmax: return x
shape: return np.zeros((10**9, 0))
none: e = np.exp(x - x.max(-1, keepdims=True)) ⏎ e / e.sum(-1, keepdims=True)
close: e = np.exp(x - x.max(-1, keepdims=True)) ⏎ return (e / e.sum(-1, keepdims=True)).round(2)
nothing: e = np.exp(x - x.max(-1, keepdims=True)) ⏎ return e / (e.sum(-1, keepdims=True) + 1)
norm_before: return np.exp(x / x.sum(axis=-1, keepdims=True))
shift_after unstable: s = x ⏎ {LATE} ⏎ return w
no_keepdims: e = np.exp(x - x.max(axis=-1, keepdims=True)) ⏎ return e / e.sum(axis=-1)
[scores]
no_scale: return Q @ K.T
scale_no_sqrt: return Q @ K.T / d
prod_KQt: return K @ Q.T / np.sqrt(d)
no_scale prod_KQt: return K @ Q.T
scale_times: return Q @ K.T * np.sqrt(d)
scale_n: return Q @ K.T / np.sqrt(len(K))
prod_QQt: return Q @ Q.T / np.sqrt(d)
star_scores: return Q * K.T / np.sqrt(d)
[attention_weights]
no_scale: return softmax(Q @ K.T)
scale_nq: return softmax(Q @ K.T / np.sqrt(len(Q)))
scale_size: return softmax(Q @ K.T / np.sqrt(K.size))
softmax_axis0: return softmax(Q @ K.T / np.sqrt(d), axis=0)
no_scale softmax_axis0: return softmax(Q @ K.T, axis=0)
no_softmax: return Q @ K.T / np.sqrt(d)
prod_QtK: return softmax(Q.T @ K / np.sqrt(d))
out_transposed: return softmax(Q @ K.T / np.sqrt(d)).T
no_scale unstable: s = np.exp(Q @ K.T) ⏎ return s / s.sum(axis=1, keepdims=True)
scale_after: return softmax(Q @ K.T) / np.sqrt(d)
no_transpose: return softmax(Q @ K / np.sqrt(d))
star_scores: return softmax(Q * K / np.sqrt(d))
no_keepdims: e = np.exp(Q @ K.T / np.sqrt(d)) ⏎ return e / e.sum(-1)
[attention]
no_scale: return softmax(Q @ K.T) @ V
scale_dv: return softmax(Q @ K.T / np.sqrt(V.shape[-1])) @ V
scale_after: return softmax(Q @ K.T) / np.sqrt(d) @ V
out_wK: return softmax(Q @ K.T / np.sqrt(d)) @ K
out_transposed: return (softmax(Q @ K.T / np.sqrt(d)) @ V).T
out_weights: return softmax(Q @ K.T / np.sqrt(d))
out_scores: return Q @ K.T / np.sqrt(d)
no_softmax: return Q @ K.T / np.sqrt(d) @ V
pair_swapped: w = softmax(Q @ K.T / np.sqrt(d)) ⏎ return w, w @ V
no_scale softmax_axis0: return softmax(Q @ K.T, axis=0) @ V
softmax_late: return softmax(Q @ K.T / np.sqrt(d) @ V)
shift_after unstable: s = Q @ K.T / np.sqrt(d) ⏎ {LATE} ⏎ return w @ V
no_transpose: return softmax(Q @ K / np.sqrt(d)) @ V
star_output: return softmax(Q @ K.T / np.sqrt(d)) * V
out_vw: return V @ softmax(Q @ K.T / np.sqrt(d))
hard_choice: return V[softmax(Q @ K.T / np.sqrt(d)).argmax(axis=-1)]
[causal_attention]
mask_missing: return softmax(s) @ V
mask_post: return np.tril(softmax(s)) @ V
mask_zero: return softmax(np.tril(s)) @ V
mask_minus1: return softmax(s - np.triu(np.ones((n, n)), 1)) @ V
nan: return softmax(s + np.triu(np.ones((n, n)), 1) * -np.inf) @ V
no_scale: return softmax(np.where(np.tri(n) == 0, -np.inf, s * np.sqrt(d))) @ V
mask_missing no_scale: return softmax(s * np.sqrt(d)) @ V
mask_strict: return softmax(np.where(np.triu(np.ones((n, n)), 0), -np.inf, s)) @ V
mask_late: return softmax(np.where(np.triu(np.ones((n, n)), 2), -1e9, s)) @ V
mask_flipped: return softmax(s + np.tril(np.ones((n, n)), -1) * -1e9) @ V
mask_flipped_strict: return softmax(np.where(np.tril(np.ones((n, n)), 0), np.finfo(float).min, s)) @ V
hard_choice: return V[softmax({HIDDEN}).argmax(axis=-1)]
[causal_mask]
mask_numbers: return np.triu(np.ones((n, n)), 1)
mask_strict: return np.triu(np.ones((n, n)), 0) == 1
mask_late: return np.triu(np.ones((n, n)), 2) == 1
mask_late mask_numbers: return np.triu(np.ones((n, n)), 2)
mask_flipped: return np.tril(np.ones((n, n)), -1) == 1
mask_flipped mask_additive: return np.tril(np.ones((n, n)), -1) * -1e9
mask_inverted: return np.tril(np.ones((n, n)), 0) == 1
mask_inverted mask_numbers: return np.tril(np.ones((n, n)), 0)
mask_additive: return np.triu(np.full((n, n), -np.inf), 1)
mask_late mask_additive: return np.triu(np.full((n, n), np.finfo(np.float32).min), 2)
[split_heads]
split_reshape: return X.reshape(n_heads, T, K)
split_swapped: return X.reshape(T, n_heads, K)
split_transposed: return X.reshape(T, n_heads, K).transpose(1, 2, 0)
split_moved_first: return X.T.reshape(n_heads, T, K)
float_size: return X.reshape(T, n_heads, D / n_heads).transpose(1, 0, 2)
[join_heads]
join_reshape: return heads.reshape(T, H * K)
join_sum: return heads.sum(0)
join_stacked: return np.vstack(heads)
join_moved_late: return heads.reshape(H * K, T).T
[rope]
nothing: {SPEEDS} ⏎ c, s, p, q = np.cos(a), np.sin(a), x[:, : K // 2], x[:, K // 2 :]
    return np.stack([p * c - q * s, p * s + q * c], -1).reshape(T, K)
rope_backwards: {SPEEDS} ⏎ c, s, p, q = np.cos(a), np.sin(a), x[:, ::2], x[:, 1::2]
    return np.stack([p * c + q * s, -p * s + q * c], -1).reshape(T, K)
rope_signs: {SPEEDS} ⏎ c, s, p, q = np.cos(a), np.sin(a), x[:, ::2], x[:, 1::2]
    return np.stack([p * c + q * s, p * s + q * c], -1).reshape(T, K)
sin_cos_swapped: {SPEEDS} ⏎ c, s, p, q = np.sin(a), np.cos(a), x[:, ::2], x[:, 1::2]
    return np.stack([p * c - q * s, p * s + q * c], -1).reshape(T, K)
halves: {SPEEDS} ⏎ h = K // 2 ⏎ p, q, c, s = x[:, :h], x[:, h:], np.cos(a), np.sin(a)
    return np.hstack([p * c - q * s, p * s + q * c])
rope_overwritten: {SPEEDS} ⏎ c, s, x = np.cos(a), np.sin(a), x.copy() ⏎ x[:, ::2] = x[:, ::2] * c - x[:, 1::2] * s
    x[:, 1::2] = x[:, ::2] * s + x[:, 1::2] * c ⏎ return x
rope_added: {SPEEDS} ⏎ return x + np.stack([np.sin(a), np.cos(a)], -1).reshape(T, K)
rope_one_speed: a = t / 1.0 + 0 * i ⏎ {TURNED}
doubled: a = t / 10000 ** (4 * i / K) ⏎ {TURNED}
no_two: a = t / 10000 ** (i / K) ⏎ {TURNED}
width_outside: a = t / 10000.0 ** (2 * i) / K ⏎ {TURNED}
one_based: a = (t + 1) / 10000 ** (2 * i / K) ⏎ {TURNED}
raw_exponent: j = np.arange(K) ⏎ a = t / 10000 ** (2 * j / K) ⏎ y = np.empty((T, K))
    y[:, ::2], y[:, 1::2] = -x[:, 1::2], x[:, ::2] ⏎ return x * np.cos(a) + y * np.sin(a)
[next_token]
no_temperature: o = np.argsort(-logits)[:top_k] ⏎ p = np.exp(logits[o] - logits.max())
    return o[np.argmax(np.cumsum(p / p.sum()) > u)]
no_top_k: z = logits / temperature ⏎ o = np.argsort(-z) ⏎ p = np.exp(z[o] - z.max())
    return o[np.argmax(np.cumsum(p / p.sum()) > u)]
always_likeliest: return np.argmax(logits)
not_renormalised: p = np.exp(logits / temperature - logits.max() / temperature) ⏎ p = p / p.sum()
    o = np.argsort(-p)[:top_k] ⏎ return o[np.argmax(np.cumsum(p[o]) > u)]
unstable: e, o = np.exp(logits / temperature), np.argsort(-logits)[:top_k]
    return o[np.argmax(np.cumsum(e[o]) / e[o].sum() > u)]
own_random: z = logits / temperature ⏎ o = np.argsort(-z)[:top_k] ⏎ p = np.exp(z[o] - z.max()) ⏎ p /= p.sum()
    return np.random.choice(o, p=p)
least_kept: z = logits / temperature ⏎ o = np.argsort(z)[:top_k][::-1] ⏎ p = np.exp(z[o] - z.max()) ⏎ {PICKED}
in_order_of_ids no_top_k: z = logits / temperature ⏎ o = np.arange(len(z)) ⏎ p = np.exp(z[o] - z.max()) ⏎ {PICKED}
[multi_head]
scale_d_model: q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V) ⏎ w = softmax(q @ k.mT / np.sqrt(D))
    return (w @ v){JOINED}, w
no_w_o: q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V) ⏎ w = softmax(q @ k.mT / np.sqrt(d))
    return (w @ v).transpose(1, 0, 2).reshape(T, D)
heads_reshape: q, k, v = ((X @ W).reshape(n_heads, T, d) for W in (W_Q, W_K, W_V))
    w = softmax(q @ k.mT / np.sqrt(d)) ⏎ return (w @ v){JOINED}
joined_reshape: q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V) ⏎ w = softmax(q @ k.mT / np.sqrt(d))
    return (w @ v).reshape(T, D) @ W_O
scale_after: {QKV} ⏎ w = softmax(q @ k.mT) / d**0.5 ⏎ return (w @ v){JOINED}
split_first: out = [] ⏎ for h in range(n_heads): ⏎     own = slice(h * d, h * d + d)
        q, k, v = (X[:, own] @ W[own, own] for W in (W_Q, W_K, W_V))
        out.append(softmax(q @ k.T / np.sqrt(d)) @ v) ⏎ return np.hstack(out) @ W_O
no_keepdims: {QKV} ⏎ e = np.exp(s) ⏎ return (e / e.sum(-1) @ v){JOINED}
narrow_factor: out = [] ⏎ for h in range(n_heads): ⏎     own = slice(h * d, h * d + d)
        q, k, v = (X[:, own] @ W[:, own] for W in (W_Q, W_K, W_V))
        out.append(softmax(q @ k.T / np.sqrt(d)) @ v) ⏎ return np.hstack(out) @ W_O
[cross_entropy]
loss_sum: return -np.log(p[t, targets]).sum()
loss_sign: return np.log(p[t, targets]).mean()
nothing: return -np.log(p[:, targets]).mean()
loss_all: return -np.log(p).mean()
loss_mean_first: return -np.log(p[t, targets].mean())
loss_raw: return -logits[t, targets].mean()
unstable: p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True) ⏎ return -np.log(p[t, targets]).mean()
[kv_cache]
cache_not_extended: return softmax(K @ q / np.sqrt(d)) @ V
no_scale: {BOTH} ⏎ return softmax(K @ q) @ V
scale_d_model: {BOTH} ⏎ return softmax(K @ q / np.sqrt(len(x))) @ V
cache_ends: K, V = np.vstack([k, K]), np.vstack([V, v]) ⏎ return softmax(K @ q / np.sqrt(d)) @ V
cache_query_kept: k = q ⏎ {BOTH} ⏎ return softmax(K @ q / np.sqrt(d)) @ V
cache_replaced: K[-1], V[-1] = k, v ⏎ return softmax(K @ q / np.sqrt(d)) @ V
[induction_score]
score_same: return weights[t, t - n].mean()
score_before: return weights[t, t - 1].mean()
score_transposed: return weights[t - n + 1, t].mean()
"""


def wrong_answers():
    """Return (exercise, program, diagnosis) for every row of the table."""
    text = TABLE
    for name, program in SHARED.items():
        text = text.replace("{" + name + "}", program.replace("\n", " ⏎ "))
    found, name = [], ""
    for row in re.findall(r".+(?:\n    .+)*", text):
        if heading := re.fullmatch(r"\[(\w+)\]", row):
            name = heading[1]
            continue
        diagnosis, _, body = row.partition(": ")
        lines = body.replace("\n    ", " ⏎ ").split(" ⏎ ")
        program = BEGINNINGS[name] + "".join(f"    {line}\n" for line in lines)
        found.append((name, program, diagnosis.replace("nothing", "")))
    return found


BY_HAND = EXERCISES["induction_head"].solution
WRONG = [
    *wrong_answers(),
    ("induction_head", BY_HAND.replace("k=-1", "k=1"), "made_next"),
    ("induction_head", BY_HAND.replace("W_K[before, now]", "W_K[now, now]"), "made_same"),
]

SLIPS = [
    ("softmax", "def softmax(x)\n    return x", "Python could not read line 1: expected ':'."),
    ("softmax", "def softmax(x):\nreturn x", "Python could not read line 2"),
    ("softmax", "def softmax(x):\n    return (x", "Python could not read line 2"),
    ("softmax", "import torch\ndef softmax(x): return x", "`import torch` is not available. These exercises use"),
    ("softmax", "from scipy.special import softmax", "`from scipy.special import ...` is not available"),
    ("softmax", "from numpy import *\ndef softmax(x): return exp(x)", "with a star"),
    ("softmax", "def soft_max(x): return x", "Define a function called `softmax`. You defined: soft_max."),
    ("softmax", "", "Define a function called `softmax`."),
    ("softmax", "def softmax(x): print(x)", "did you forget the return?"),
    ("softmax", "def softmax(x): print(x, end=np.array(['a'])); return x", "TypeError on line 1: end must be"),
    ("softmax", "def softmax(x): print(x, sep=5); return x", "TypeError on line 1: sep must be"),
    ("softmax", "def softmax(x): return np.zeros((10**9, 0))", "The shape is 1000000000 × 0, but should be 2 × 3."),
    ("softmax", "def softmax(x): return np.zeros((1,) * 33)", "The shape is 1 × 1 × 1 × 1 × 1 × 1 × … (33 axes), but"),
    ("softmax", 'def softmax(x): print("{}".format(x)); return x', ".format is not available in these exercises"),
    ("softmax", "def softmax(x): x.shape = (6,); return x", "Setting .shape is not allowed here."),
    ("softmax", "class A: pass", "Classes are not needed here: write plain functions."),
    ("softmax", "def softmax(x): return eval('x')", "`eval` is not available here, because it can reach outside"),
    ("softmax", "n = input()\ndef softmax(x): return x", "no one can type an answer"),
    ("softmax", "def softmax(x): return np.load(x)", "np.load is not available in these exercises."),
    ("softmax", "def softmax(np): return np", "`np` is the module numpy. Choose another name"),
    ("softmax", "def softmax(x): return x.__class__", "two underscores (__class__)"),
    ("softmax", "def softmax(x):\n    while True: pass", "of computing (it was on line 2)"),
    ("softmax", "def softmax(x):\n    y = 1\n    return np.ones((10**5, 10**5))", "Line 3 asks for more memory"),
    ("softmax", "def softmax(x): return Q", "NameError on line 1: name 'Q' is not defined"),
    ("softmax", "print(y)\ndef softmax(x): return x", "NameError on line 1: name 'y' is not defined"),
    ("softmax", "def softmax(x): yield x", "Did you mean return instead of yield?"),
    ("softmax", "def softmax(): return 1", "takes 0 positional arguments"),
    ("softmax", "def softmax(x): return softmax(x)", "RecursionError on line 1"),
    ("softmax", "def softmax(x): return 'a'", "returned a str"),
    ("softmax", "return 5", "Python could not read line 1: 'return' outside function."),
    (
        "softmax",
        "def softmax(x):\n    match x:\n        case _: return x",
        "match is not available here: use if / elif.",
    ),
    ("softmax", "@print\ndef softmax(x): return x", "Decorators (@...) are not needed here."),
    ("softmax", "x = 1 # " + "a" * 9000, "the 8,000 that fit here"),
    ("softmax", "x = 1\n" * 500, "at most 400 fit here"),
    ("softmax", "def softmax(x):\n    return x\u200b", "an invisible character (U+200B)"),
    ("attention", "def attention(Q, K, V):\n    return Q @ k.T", "Line 2: there is no `k` here."),
    ("attention", "def attention(Q, K):\n    return Q @ K.T", "called with more or fewer arguments than it takes"),
    ("attention", "def attention(Q, K, V):\n    return V @ V", "has 4 columns, but the right one 3 rows."),
    ("attention", "def attention(Q, K, V):\n    return (Q * K).sum()", "The matrix product is @, not the star."),
    ("attention", "def attention(Q, K, V):\n    return Q + V", "the shapes 3 × 2 and 3 × 4 do not fit."),
    ("attention", "def attention(Q, K, V):\n    return Q.reshape(4, 2)", "6 numbers do not fill the shape 4 × 2."),
    ("attention", "def attention(Q, K, V):\n    return Q[3]", "index 3 was asked of axis 0, which has 3 entries."),
    ("attention", "def attention(Q, K, V):\n    return print(Q) + K", "one of your values is None."),
    ("attention", "def attention(Q, K, V):\n    return Q.sum(axis=2)", "its last axis is 1, or −1."),
    ("attention", "def attention(Q, K, V):\n    return print(Q) @ K", "is None or a single number"),
    ("attention", "def attention(Q, K, V):\n    return 1 if Q > 0 else 0", "neither true nor false as a whole"),
    ("attention", "z = np.ones(3) @ np.ones(4)\ndef attention(Q, K, V):\n    return Q", "but the right one 4 rows"),
    ("attention", "def attention(Q, K, V): return Q @ K", "ValueError on line 1: matmul: Input operand 1 has"),
]
