"""Honest mistakes, each with the diagnosis that it should get, and slips with the sentence that helps.

They stand in `wrong_answers.txt`: a heading names the function, and a row is a diagnosis, or `nothing` where no known
mistake explains it, and the body of that function. ⏎ stands for a new line, as a line that is indented does, and
{NAMES} for what several rows share.
"""

import re
from pathlib import Path

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
BACK = (
    "import numpy as np\ndef attention_backward(dout, q, k, v, weights):\n    d = q.shape[1]\n"
    "    dw, dv = dout @ v.T, weights.T @ dout\n"
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
    "attention_backward": BACK,
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
TABLE = Path(__file__).with_name("wrong_answers.txt").read_text(encoding="utf-8")


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
    ("softmax", "def softmax(x): return np.zeros((1,) * 33)", "The shape is 1 × 1 × 1 × 1 × 1 × 1 × … (of 33 axes)"),
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
    ("attention", "def attention(Q, K, V):\n    return Q.reshape(4, 2)", "6 numbers does not fill the shape 4 × 2."),
    ("attention", "def attention(Q, K, V):\n    return Q[3]", "index 3 was asked of axis 0, which has 3 entries."),
    (
        "attention",
        "def attention(Q, K, V):\n    return Q[:0][0]",
        "which has 0 entries.IndexError",
    ),
    ("attention", "def attention(Q, K, V):\n    return np.sum(2, axis=1)", "has 0 axes. It is a single number."),
    ("attention", "def attention(Q, K, V):\n    return print(Q) + K", "one of your values is None."),
    ("attention", "def attention(Q, K, V):\n    return Q.sum(axis=2)", "the last is 1, or −1."),
    ("attention", "def attention(Q, K, V):\n    return print(Q) @ K", "is None or a single number"),
    ("attention", "def attention(Q, K, V):\n    return 1 if Q > 0 else 0", "neither true nor false as a whole"),
    ("attention", "z = np.ones(3) @ np.ones(4)\ndef attention(Q, K, V):\n    return Q", "but the right one 4 rows"),
    ("attention", "def attention(Q, K, V): return Q @ K", "ValueError on line 1: matmul: Input operand 1 has"),
]
