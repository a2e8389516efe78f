"""Honest mistakes, each with the diagnosis that it should get; none for those that nothing explains."""

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
HEADS_QKV = HEADS + "    q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V)\n    s = q @ k.mT / np.sqrt(d)\n"
JOINED = ".transpose(1, 0, 2).reshape(T, D) @ W_O"
SPEEDS = "    a = t / 10000 ** (2 * i / K)\n"
TURNED = (
    "    c, s, p, q = np.cos(a), np.sin(a), x[:, ::2], x[:, 1::2]\n"
    "    return np.stack([p * c - q * s, p * s + q * c], -1).reshape(T, K)"
)

WRONG = [
    ("softmax", SOFT + "    e = np.exp(x - x.max())\n    return e / e.sum(axis=0)", "softmax_axis0"),
    ("softmax", SOFT + "    e = np.exp(x - x.max())\n    return e / e.sum()", "softmax_all"),
    ("softmax", SOFT + "    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)", "unstable"),
    ("softmax", SOFT + "    return np.exp(x) / np.exp(x).sum()", "softmax_all unstable"),
    ("softmax", SOFT + "    return x / x.sum(axis=-1, keepdims=True)", "norm_l1"),
    ("softmax", SOFT + "    return np.exp(x)", "exp_only unstable"),
    ("softmax", SOFT + "    e = np.exp(x - np.max(x))\n    return e / e.sum(axis=-1, keepdims=True)", "shift_all"),
    (
        "softmax",
        SOFT + "    e = np.exp(x - x.max(axis=0))\n    return e / e.sum(axis=-1, keepdims=True)",
        "shift_axis0",
    ),
    ("softmax", SOFT + "    return 1 / (1 + np.exp(-np.clip(x, -50, 50)))", "sigmoid"),
    ("softmax", SOFT + "    return x", "no_softmax"),
    ("softmax", SOFT + "    return np.zeros((10**9, 0))", "shape"),
    ("softmax", SOFT + "    e = np.exp(x - x.max(-1, keepdims=True))\n    e / e.sum(-1, keepdims=True)", "none"),
    (
        "softmax",
        SOFT + "    e = np.exp(x - x.max(-1, keepdims=True))\n    return (e / e.sum(-1, keepdims=True)).round(2)",
        "close",
    ),
    (
        "softmax",
        SOFT + "    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / (e.sum(-1, keepdims=True) + 1)",
        "",
    ),
    ("scores", SCORE + "    return Q @ K.T", "no_scale"),
    ("scores", SCORE + "    return Q @ K.T / d", "scale_no_sqrt"),
    ("scores", SCORE + "    return K @ Q.T / np.sqrt(d)", "prod_KQt"),
    ("scores", SCORE + "    return K @ Q.T", "no_scale prod_KQt"),
    ("scores", SCORE + "    return Q @ K.T * np.sqrt(d)", "scale_times"),
    ("scores", SCORE + "    return Q @ K.T / np.sqrt(len(K))", "scale_n"),
    ("scores", SCORE + "    return Q @ Q.T / np.sqrt(d)", "prod_QQt"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T)", "no_scale"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T / d)", "scale_no_sqrt"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T / np.sqrt(K.shape[0]))", "scale_n"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T / np.sqrt(len(Q)))", "scale_nq"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T / np.sqrt(K.size))", "scale_size"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T * np.sqrt(d))", "scale_times"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T / np.sqrt(d), axis=0)", "softmax_axis0"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T, axis=0)", "no_scale softmax_axis0"),
    ("attention_weights", WEIGHTS + "    return Q @ K.T / np.sqrt(d)", "no_softmax"),
    ("attention_weights", WEIGHTS + "    return softmax(K @ Q.T / np.sqrt(d))", "prod_KQt"),
    ("attention_weights", WEIGHTS + "    return softmax(Q.T @ K / np.sqrt(d))", "prod_QtK"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T / np.sqrt(d)).T", "out_transposed"),
    (
        "attention_weights",
        WEIGHTS + "    s = np.exp(Q @ K.T)\n    return s / s.sum(axis=1, keepdims=True)",
        "no_scale unstable",
    ),
    ("attention", ATT + "    return softmax(Q @ K.T) @ V", "no_scale"),
    ("attention", ATT + "    return softmax(Q @ K.T / np.sqrt(V.shape[-1])) @ V", "scale_dv"),
    ("attention", ATT + "    return softmax(Q @ K.T) / np.sqrt(d) @ V", "scale_after"),
    ("attention", ATT + "    return softmax(Q @ K.T / np.sqrt(d)) @ K", "out_wK"),
    ("attention", ATT + "    return (softmax(Q @ K.T / np.sqrt(d)) @ V).T", "out_transposed"),
    ("attention", ATT + "    return softmax(Q @ K.T / np.sqrt(d))", "out_weights"),
    ("attention", ATT + "    return Q @ K.T / np.sqrt(d)", "out_scores"),
    ("attention", ATT + "    return Q @ K.T / np.sqrt(d) @ V", "no_softmax"),
    ("attention", ATT + "    w = softmax(Q @ K.T / np.sqrt(d))\n    return w, w @ V", "pair_swapped"),
    ("attention", ATT + "    return softmax(Q @ K.T, axis=0) @ V", "no_scale softmax_axis0"),
    ("causal_attention", CAUSAL + "    return softmax(s) @ V", "mask_missing"),
    ("causal_attention", CAUSAL + "    return np.tril(softmax(s)) @ V", "mask_post"),
    ("causal_attention", CAUSAL + "    return softmax(np.tril(s)) @ V", "mask_zero"),
    ("causal_attention", CAUSAL + "    return softmax(s - np.triu(np.ones((n, n)), 1)) @ V", "mask_minus1"),
    ("causal_attention", CAUSAL + "    return softmax(s + np.triu(np.ones((n, n)), 1) * -np.inf) @ V", "nan"),
    (
        "causal_attention",
        CAUSAL + "    return softmax(np.where(np.tri(n) == 0, -np.inf, s * np.sqrt(d))) @ V",
        "no_scale",
    ),
    ("causal_attention", CAUSAL + "    return softmax(s * np.sqrt(d)) @ V", "mask_missing no_scale"),
    ("causal_mask", MASK + "    return np.triu(np.ones((n, n)), 1)", "mask_numbers"),
    ("split_heads", SPLIT + "    return X.reshape(n_heads, T, K)", "split_reshape"),
    ("split_heads", SPLIT + "    return X.reshape(T, n_heads, K)", "split_swapped"),
    ("split_heads", SPLIT + "    return X.reshape(T, n_heads, K).transpose(1, 2, 0)", "split_transposed"),
    ("join_heads", JOIN + "    return heads.reshape(T, H * K)", "join_reshape"),
    ("join_heads", JOIN + "    return heads.sum(0)", "join_sum"),
    ("join_heads", JOIN + "    return np.vstack(heads)", "join_stacked"),
    ("rope", ROPE + SPEEDS + TURNED.replace("x[:, ::2], x[:, 1::2]", "x[:, : K // 2], x[:, K // 2 :]"), ""),
    ("rope", ROPE + SPEEDS + TURNED.replace("- q * s, p * s", "+ q * s, -p * s"), "rope_backwards"),
    ("rope", ROPE + SPEEDS + TURNED.replace("- q * s", "+ q * s"), "rope_signs"),
    ("rope", ROPE + SPEEDS + TURNED.replace("np.cos(a), np.sin(a)", "np.sin(a), np.cos(a)"), "sin_cos_swapped"),
    (
        "rope",
        ROPE + SPEEDS + "    h = K // 2\n    p, q, c, s = x[:, :h], x[:, h:], np.cos(a), np.sin(a)\n"
        "    return np.hstack([p * c - q * s, p * s + q * c])",
        "halves",
    ),
    (
        "rope",
        ROPE + SPEEDS + "    c, s, x = np.cos(a), np.sin(a), x.copy()\n    x[:, ::2] = x[:, ::2] * c - x[:, 1::2] * s\n"
        "    x[:, 1::2] = x[:, ::2] * s + x[:, 1::2] * c\n    return x",
        "rope_overwritten",
    ),
    ("rope", ROPE + SPEEDS + "    return x + np.stack([np.sin(a), np.cos(a)], -1).reshape(T, K)", "rope_added"),
    ("rope", ROPE + "    a = t / 1.0 + 0 * i\n" + TURNED, "rope_one_speed"),
    ("rope", ROPE + "    a = t / 10000 ** (4 * i / K)\n" + TURNED, "doubled"),
    ("rope", ROPE + "    a = t / 10000 ** (i / K)\n" + TURNED, "no_two"),
    ("rope", ROPE + "    a = t / 10000.0 ** (2 * i) / K\n" + TURNED, "width_outside"),
    ("rope", ROPE + "    a = (t + 1) / 10000 ** (2 * i / K)\n" + TURNED, "one_based"),
    (
        "rope",
        ROPE + "    j = np.arange(K)\n    a = t / 10000 ** (2 * j / K)\n    y = np.empty((T, K))\n"
        "    y[:, ::2], y[:, 1::2] = -x[:, 1::2], x[:, ::2]\n    return x * np.cos(a) + y * np.sin(a)",
        "raw_exponent",
    ),
    (
        "next_token",
        TOKEN + "    o = np.argsort(-logits)[:top_k]\n    p = np.exp(logits[o] - logits.max())\n"
        "    return o[np.argmax(np.cumsum(p / p.sum()) > u)]",
        "no_temperature",
    ),
    (
        "next_token",
        TOKEN + "    z = logits / temperature\n    o = np.argsort(-z)\n    p = np.exp(z[o] - z.max())\n"
        "    return o[np.argmax(np.cumsum(p / p.sum()) > u)]",
        "no_top_k",
    ),
    ("next_token", TOKEN + "    return np.argmax(logits)", "always_likeliest"),
    (
        "next_token",
        TOKEN + "    p = np.exp(logits / temperature - logits.max() / temperature)\n    p = p / p.sum()\n"
        "    o = np.argsort(-p)[:top_k]\n    return o[np.argmax(np.cumsum(p[o]) > u)]",
        "not_renormalised",
    ),
    (
        "next_token",
        TOKEN + "    e, o = np.exp(logits / temperature), np.argsort(-logits)[:top_k]\n"
        "    return o[np.argmax(np.cumsum(e[o]) / e[o].sum() > u)]",
        "unstable",
    ),
    (
        "multi_head",
        HEADS + "    q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V)\n"
        "    w = softmax(q @ k.mT / np.sqrt(D))\n"
        "    return (w @ v).transpose(1, 0, 2).reshape(T, D) @ W_O, w",
        "scale_d_model",
    ),
    (
        "multi_head",
        HEADS + "    q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V)\n"
        "    w = softmax(q @ k.mT / np.sqrt(d))\n"
        "    return (w @ v).transpose(1, 0, 2).reshape(T, D)",
        "no_w_o",
    ),
    (
        "multi_head",
        HEADS + "    q, k, v = ((X @ W).reshape(n_heads, T, d) for W in (W_Q, W_K, W_V))\n"
        "    w = softmax(q @ k.mT / np.sqrt(d))\n"
        "    return (w @ v).transpose(1, 0, 2).reshape(T, D) @ W_O",
        "heads_reshape",
    ),
    (
        "multi_head",
        HEADS + "    q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V)\n"
        "    w = softmax(q @ k.mT / np.sqrt(d))\n"
        "    return (w @ v).reshape(T, D) @ W_O",
        "joined_reshape",
    ),
]

# The right operation in the wrong place

LATE = "    e = np.exp(s) - s.max(-1, keepdims=True)\n    w = e / e.sum(-1, keepdims=True)\n"
MASKED = "np.where(np.tri(n) == 0, -np.inf, s)"
WRONG += [
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K.T) / np.sqrt(d)", "scale_after"),
    ("causal_attention", CAUSAL + f"    s = {MASKED} * np.sqrt(d)\n    return softmax(s) / d**0.5 @ V", "scale_after"),
    ("multi_head", HEADS_QKV + f"    w = softmax(q @ k.mT) / d**0.5\n    return (w @ v){JOINED}", "scale_after"),
    ("attention", ATT + "    return softmax(Q @ K.T / np.sqrt(d) @ V)", "softmax_late"),
    ("causal_attention", CAUSAL + f"    return softmax({MASKED} @ V)", "softmax_late"),
    ("multi_head", HEADS_QKV + f"    return softmax(s @ v){JOINED}", "softmax_late"),
    ("softmax", SOFT + "    return np.exp(x / x.sum(axis=-1, keepdims=True))", "norm_before"),
    (
        "attention_weights",
        WEIGHTS + "    s = Q @ K.T / np.sqrt(d)\n    return np.exp(s / s.sum(-1, keepdims=True))",
        "norm_before",
    ),
    (
        "attention",
        ATT + "    s = Q @ K.T / np.sqrt(d)\n    return np.exp(s / s.sum(-1, keepdims=True)) @ V",
        "norm_before",
    ),
    ("softmax", SOFT + f"    s = x\n{LATE}    return w", "shift_after unstable"),
    ("attention", ATT + f"    s = Q @ K.T / np.sqrt(d)\n{LATE}    return w @ V", "shift_after unstable"),
    ("causal_attention", CAUSAL + f"    s = {MASKED}\n{LATE}    return w @ V", "shift_after unstable"),
    ("multi_head", HEADS_QKV + f"{LATE}    return (w @ v){JOINED}", "shift_after"),
    (
        "multi_head",
        HEADS + "    out = []\n    for h in range(n_heads):\n        own = slice(h * d, h * d + d)\n"
        "        q, k, v = (X[:, own] @ W[own, own] for W in (W_Q, W_K, W_V))\n"
        "        out.append(softmax(q @ k.T / np.sqrt(d)) @ v)\n"
        "    return np.hstack(out) @ W_O",
        "split_first",
    ),
    ("split_heads", SPLIT + "    return X.T.reshape(n_heads, T, K)", "split_moved_first"),
    ("join_heads", JOIN + "    return heads.reshape(H * K, T).T", "join_moved_late"),
]

# A mask that is off by one, and one that is not, in every way in which people write it

HIDDEN = ["np.where({}, -np.inf, s)", "np.where({}, -1e9, s)", "s + {} * -1e9", "np.where({}, np.finfo(float).min, s)"]
OFF = {
    "mask_strict": "np.triu(np.ones(({0}, {0})), 0)",
    "mask_late": "np.triu(np.ones(({0}, {0})), 2)",
    "mask_flipped": "np.tril(np.ones(({0}, {0})), -1)",
    "mask_flipped_strict": "np.tril(np.ones(({0}, {0})), 0)",
}
WRONG += [
    ("causal_attention", CAUSAL + f"    return softmax({way.format(cells.format('n'))}) @ V", kind)
    for (kind, cells), way in zip(OFF.items(), HIDDEN, strict=True)
]
WRONG += [
    ("causal_mask", MASK + f"    return {OFF[kind].format('n')}{ending}", f"{named}{form}")
    for kind, named in (
        ("mask_strict",) * 2,
        ("mask_late",) * 2,
        ("mask_flipped",) * 2,
        ("mask_flipped_strict", "mask_inverted"),
    )
    for ending, form in ((" == 1", ""), ("", " mask_numbers"), (" * -1e9", " mask_additive"))
]
WRONG += [
    ("causal_mask", MASK + f"    return np.triu(np.full((n, n), {fill}), {k})", kind)
    for fill, k, kind in (("-np.inf", 1, "mask_additive"), ("np.finfo(np.float32).min", 2, "mask_late mask_additive"))
]

# What raises an exception on some tests or on all, and is known by the sizes in it and by the values of the others

E, KEPT = "    e = np.exp(x - x.max({}))\n", "axis=-1, keepdims=True"
LAST = (
    TOKEN
    + """    z = logits / temperature
    o = np.argsort(-z)[:top_k]
    p = np.exp(z[o] - z.max())
    p /= p.sum()
"""
)
PICKED = "    return o[np.argmax(np.cumsum(p) > u)]"
WRONG += [
    ("softmax", SOFT + E.format(KEPT) + "    return e / e.sum(axis=-1)", "no_keepdims"),
    ("attention_weights", WEIGHTS + "    return softmax(Q @ K / np.sqrt(d))", "no_transpose"),
    ("attention_weights", WEIGHTS + "    return softmax(Q * K / np.sqrt(d))", "star_scores"),
    ("attention_weights", WEIGHTS + "    e = np.exp(Q @ K.T / np.sqrt(d))\n    return e / e.sum(-1)", "no_keepdims"),
    ("scores", SCORE + "    return Q @ K / np.sqrt(d)", "no_transpose"),
    ("scores", SCORE + "    return Q * K.T / np.sqrt(d)", "star_scores"),
    ("attention", ATT + "    return softmax(Q @ K / np.sqrt(d)) @ V", "no_transpose"),
    ("attention", ATT + "    return softmax(Q @ K.T / np.sqrt(d)) * V", "star_output"),
    ("attention", ATT + "    return V @ softmax(Q @ K.T / np.sqrt(d))", "out_vw"),
    ("attention", ATT + "    return V[softmax(Q @ K.T / np.sqrt(d)).argmax(axis=-1)]", "hard_choice"),
    ("causal_attention", CAUSAL + f"    return V[softmax({MASKED}).argmax(axis=-1)]", "hard_choice"),
    ("multi_head", HEADS_QKV + f"    e = np.exp(s)\n    return (e / e.sum(-1) @ v){JOINED}", "no_keepdims"),
    (
        "multi_head",
        HEADS + "    out = []\n    for h in range(n_heads):\n        own = slice(h * d, h * d + d)\n"
        "        q, k, v = (X[:, own] @ W[:, own] for W in (W_Q, W_K, W_V))\n"
        "        out.append(softmax(q @ k.T / np.sqrt(d)) @ v)\n"
        "    return np.hstack(out) @ W_O",
        "narrow_factor",
    ),
    ("split_heads", SPLIT + "    return X.reshape(T, n_heads, D / n_heads).transpose(1, 0, 2)", "float_size"),
    ("next_token", LAST + "    return np.random.choice(o, p=p)", "own_random"),
    ("next_token", LAST.replace("argsort(-z)[:top_k]", "argsort(z)[:top_k][::-1]") + PICKED, "least_kept"),
    ("next_token", LAST.replace("np.argsort(-z)[:top_k]", "np.arange(len(z))") + PICKED, "in_order_of_ids no_top_k"),
]

# The programs of the lesson on a language model

LOSS = SM + "def cross_entropy(logits, targets):\n    t = np.arange(len(targets))\n    p = softmax(logits)\n"
NEXT = SM + "def attend_next(x, K, V, W_Q, W_K, W_V):\n    d = K.shape[-1]\n    q, k, v = x @ W_Q, x @ W_K, x @ W_V\n"
BOTH = "    K, V = np.vstack([K, k]), np.vstack([V, v])\n"
SCORED = "import numpy as np\ndef induction_score(weights, n):\n    t = np.arange(n, 2 * n)\n"
BY_HAND = EXERCISES["induction_head"].solution
WRONG += [
    ("cross_entropy", LOSS + "    return -np.log(p[t, targets]).sum()", "loss_sum"),
    ("cross_entropy", LOSS + "    return np.log(p[t, targets]).mean()", "loss_sign"),
    ("cross_entropy", LOSS + "    return -np.log(p[:, targets]).mean()", ""),
    ("cross_entropy", LOSS + "    return -np.log(p).mean()", "loss_all"),
    ("cross_entropy", LOSS + "    return -np.log(p[t, targets].mean())", "loss_mean_first"),
    ("cross_entropy", LOSS + "    return -logits[t, targets].mean()", "loss_raw"),
    (
        "cross_entropy",
        LOSS + "    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)\n"
        "    return -np.log(p[t, targets]).mean()",
        "unstable",
    ),
    ("kv_cache", NEXT + "    return softmax(K @ q / np.sqrt(d)) @ V", "cache_not_extended"),
    ("kv_cache", NEXT + BOTH + "    return softmax(K @ q) @ V", "no_scale"),
    ("kv_cache", NEXT + BOTH + "    return softmax(K @ q / np.sqrt(len(x))) @ V", "scale_d_model"),
    (
        "kv_cache",
        NEXT + "    K, V = np.vstack([k, K]), np.vstack([V, v])\n    return softmax(K @ q / np.sqrt(d)) @ V",
        "cache_ends",
    ),
    ("kv_cache", NEXT + "    k = q\n" + BOTH + "    return softmax(K @ q / np.sqrt(d)) @ V", "cache_query_kept"),
    ("kv_cache", NEXT + "    K[-1], V[-1] = k, v\n    return softmax(K @ q / np.sqrt(d)) @ V", "cache_replaced"),
    ("induction_score", SCORED + "    return weights[t, t - n].mean()", "score_same"),
    ("induction_score", SCORED + "    return weights[t, t - 1].mean()", "score_before"),
    ("induction_score", SCORED + "    return weights[t - n + 1, t].mean()", "score_transposed"),
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
