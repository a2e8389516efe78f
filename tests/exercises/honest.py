"""Right answers in many styles: whatever a student may write that is right must pass. A line of = parts them."""

SOFTMAX = """
import numpy as np
def softmax(x):
    rows, columns = x.shape
    answer = np.empty((rows, columns))
    i = 0
    while i < rows:
        shifted = x[i, :] - np.amax(x[i, :])
        answer[i, :] = np.exp(shifted) / np.exp(shifted).sum()
        i += 1
    return answer
if __name__ == "__main__":
    shown: np.ndarray = softmax(np.array([[1.0, 2.0]]))
    print(*map(float, shown[0]))
====
from __future__ import annotations
import numpy as np
import numpy.typing as npt
def softmax(x: npt.ArrayLike, *, axis: int = -1) -> np.ndarray | None:
    if not isinstance(x, np.ndarray):
        x = np.array(x)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
====
import numpy as np
def softmax(x):
    print("shape", x.shape, type(x))
    print(f"{x.max():.2f} {x.dtype} {len(x)}")
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    assert (e <= 1).all(), "shifted"
    return e / e.sum(axis=-1, keepdims=True)
====
import numpy as np
def softmax(x):
    try:
        e = np.exp(x - x.max(axis=-1, keepdims=True))
    except ValueError as error:
        print("oh", error)
        raise
    finally:
        pass
    return e / e.sum(axis=-1, keepdims=True)
====
import numpy as np
def softmax(x):
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
====
import numpy as np
np.set_printoptions(precision=3)
np.random.seed(0)
example = np.random.randn(2, 3)
def softmax(input):
    exps = np.exp(input - np.max(input, axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
print(softmax(example))
np.testing.assert_allclose(softmax(example).sum(axis=-1), 1)
"""

SCORES = """
import numpy as np
def compute_scores(Q, K):
    return np.einsum("id,jd->ij", Q, K) * K.shape[1] ** -0.5
====
import numpy as np
def compute_scores(Q, K):
    return np.inner(Q, K) / np.sqrt(Q.shape[-1])
====
import numpy as np
def compute_scores(Q, K):
    return np.tensordot(Q, K, axes=([1], [1])) / np.sqrt(Q.shape[1])
"""

ATTENTION_WEIGHTS = """
import numpy as np
def compute_attention_weights(Q, K):
    scores = np.matmul(Q / Q.shape[1] ** 0.5, np.swapaxes(K, -1, -2))
    scores = scores - scores.max(axis=1).reshape(-1, 1)
    return np.exp(scores) / np.exp(scores).sum(axis=1).reshape(-1, 1)
====
import numpy as np
def compute_attention_weights(Q, K):
    Q32, K32 = Q.astype(np.float64), K.astype(np.float64)
    s = (Q32 @ K32.mT) / np.sqrt(np.float64(K.shape[-1]))
    s -= np.expand_dims(s.max(-1), -1)
    e = np.power(np.e, s)
    return np.true_divide(e, e.sum(-1, keepdims=True))
====
import numpy as np
import math
def compute_attention_weights(Q, K):
    W = {}
    for i, q in enumerate(Q):
        row = [float(q @ k) / math.sqrt(Q.shape[1]) for k in K]
        top = max(row)
        W[i] = [math.exp(v - top) for v in row]
        W[i] = [v / sum(W[i]) for v in W[i]]
    return [W[i] for i in sorted(W)]
"""

ATTENTION = """
import numpy as np
def attention(Q, K, V, mask=None):
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / np.sum(e, axis=-1, keepdims=True)
    return np.dot(weights, V), weights
====
import numpy as np
def attention(*args):
    Q, K, V = args
    s = (Q @ K.T).astype(np.float64) / np.linalg.norm(np.ones(Q.shape[1]))
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return (e @ V) / e.sum(axis=1, keepdims=True)
"""

CAUSAL_ATTENTION = """
import numpy as np
def apply_causal_attention(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[1])
    s = np.where(np.tril(np.ones_like(s)) == 1, s, -np.inf)
    w = np.exp(s - s.max(1, keepdims=True))
    return w / w.sum(1, keepdims=True) @ V
====
import numpy as np
def apply_causal_attention(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[1])
    s = s + np.triu(np.full(s.shape, -1e9), k=1)
    w = np.exp(s - s.max(1, keepdims=True))
    return (w / w.sum(1, keepdims=True)) @ V
====
import numpy as np
def apply_causal_attention(Q, K, V):
    n = len(Q)
    s = Q @ K.T / Q.shape[1] ** 0.5
    for i in range(n):
        for j in range(n):
            if j > i:
                s[i, j] = float("-inf")
            else:
                continue
    e = np.exp(s - np.nanmax(s, axis=1, keepdims=True))
    return e @ V / e.sum(axis=1, keepdims=True)
"""

SPLIT_HEADS = """
import numpy as np
def split_heads(X, n_heads):
    return np.split(X, n_heads, axis=-1)
====
import numpy as np
def split_heads(X, n_heads):
    return np.moveaxis(X.reshape(len(X), n_heads, -1), 1, 0)
====
import numpy as np
def split_heads(X, n_heads):
    return tuple(np.hsplit(X, n_heads))
"""

JOIN_HEADS = """
import numpy as np
def join_heads(heads):
    return np.concatenate(list(heads), axis=-1)
====
import numpy as np
def join_heads(heads):
    return np.hstack(heads)
"""

CAUSAL_MASK = """
import numpy as np
def causal_mask(n):
    return ~np.tri(n, dtype=bool)
====
import numpy as np
def causal_mask(n):
    return np.fromfunction(lambda i, j: j > i, (n, n))
====
import numpy as np
def causal_mask(n: int):
    return np.logical_not(np.tril(np.ones((n, n))) > 0)
"""

ROPE = """
import math
def rope(x):
    out = []
    for t, row in enumerate(x):
        turned = []
        for c in range(0, len(row), 2):
            angle = t / 10000 ** (c / len(row))
            a, b = row[c], row[c + 1]
            turned += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
        out.append(turned)
    return out
====
import numpy as np
def rope(x):
    width = x.shape[1]
    angles = np.outer(np.arange(len(x)), np.exp(np.arange(0, width, 2) * (-np.log(10000.0) / width)))
    cosines, sines = np.repeat(np.cos(angles), 2, axis=1), np.repeat(np.sin(angles), 2, axis=1)
    turned = np.empty_like(x)
    turned[:, 0::2], turned[:, 1::2] = -x[:, 1::2], x[:, 0::2]
    return x * cosines + turned * sines
"""

NEXT_TOKEN = """
import numpy as np
def next_token(logits, temperature, top_k, u):
    scaled = logits / temperature
    order = np.argsort(scaled)[::-1][:top_k]
    p = np.exp(scaled[order] - scaled.max())
    p /= p.sum()
    return order[np.searchsorted(np.cumsum(p), u)]
====
import math
def next_token(logits, temperature, top_k, u):
    ranked = sorted(range(len(logits)), key=lambda i: -logits[i])[:top_k]
    top = logits[ranked[0]]
    shares = [math.exp((logits[i] - top) / temperature) for i in ranked]
    total, running = sum(shares), 0.0
    for token, share in zip(ranked, shares):
        running += share / total
        if running > u:
            return token
    return ranked[-1]
====
import numpy as np
def next_token(logits, temperature, top_k, u):
    z = logits / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    keep = np.argsort(-p)[:top_k]
    q = p[keep] / p[keep].sum()
    return int(keep[np.nonzero(q.cumsum() > u)[0][0]])
"""

MULTI_HEAD = """
import numpy as np
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    T, D = X.shape
    split = lambda M: M.reshape(T, n_heads, -1).transpose(1, 0, 2)
    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    s = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return (w @ V).transpose(1, 0, 2).reshape(T, D) @ W_O, w
====
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def head(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    return softmax(q @ k.T / np.sqrt(wq.shape[1])) @ v
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    parts = zip(np.hsplit(W_Q, n_heads), np.hsplit(W_K, n_heads), np.hsplit(W_V, n_heads))
    return np.concatenate([head(X, *p) for p in parts], axis=1) @ W_O
====
import numpy as np
def multi_head(X, W_Q, W_K, W_V, W_O, n_heads):
    T, D = X.shape
    d = D // n_heads
    out, all_weights = np.zeros((T, D)), []
    for h in range(n_heads):
        c = slice(h * d, h * d + d)
        s = (X @ W_Q[:, c]) @ (X @ W_K[:, c]).T / d ** 0.5
        w = np.exp(s - s.max(1, keepdims=True))
        w /= w.sum(1, keepdims=True)
        all_weights.append(w)
        out += w @ (X @ W_V[:, c]) @ W_O[c]
    return out, all_weights
"""

CROSS_ENTROPY = """
import numpy as np
def cross_entropy(logits, targets):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(targets)), targets].mean()
====
import math
def cross_entropy(logits, targets):
    total = 0
    for row, target in zip(logits, targets):
        top = max(row)
        total += top + math.log(sum(math.exp(v - top) for v in row)) - row[target]
    return total / len(targets)
====
import numpy as np
def cross_entropy(logits, targets):
    one_hot = np.eye(logits.shape[1])[targets]
    return (np.logaddexp.reduce(logits, axis=1) - (logits * one_hot).sum(axis=1)).mean()
"""


KV_CACHE = """
import numpy as np
def attend_next(x, K, V, W_Q, W_K, W_V):
    keys = np.concatenate([K, (x @ W_K)[None]])
    values = np.concatenate([V, (x @ W_V)[None]])
    scores = x @ W_Q @ keys.T / np.sqrt(keys.shape[1])
    e = np.exp(scores - scores.max())
    return e / e.sum() @ values
====
import numpy as np
def attend_next(x, K, V, W_Q, W_K, W_V):
    x = x[None, :]
    K, V = np.append(K, x @ W_K, axis=0), np.append(V, x @ W_V, axis=0)
    w = np.exp(x @ W_Q @ K.T / K.shape[1] ** 0.5)
    w = w / w.sum()
    return (w @ V)[0], w[0]
"""

INDUCTION_SCORE = """
import numpy as np
def induction_score(weights, n):
    return sum(weights[t, t - n + 1] for t in range(n, 2 * n)) / n
====
import numpy as np
def induction_score(weights, n):
    return np.diagonal(weights, offset=-(n - 1))[1:].mean()
"""

INDUCTION_HEAD = """
import numpy as np
def induction_head(X, n_tokens):
    T, D = X.shape
    def attend(scores):
        scores = np.where(np.tri(T) == 0, -np.inf, scores)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    token, place = X[:, :n_tokens], X[:, 2 * n_tokens:]
    shift = np.diag(np.ones(T - 1), -1)
    before = attend(100 * place @ shift @ place.T) @ token
    return attend(100 * token @ before.T)
"""


def programs():
    """Return (exercise, program) for every right answer."""
    texts = {
        "softmax": SOFTMAX,
        "scores": SCORES,
        "attention_weights": ATTENTION_WEIGHTS,
        "attention": ATTENTION,
        "causal_attention": CAUSAL_ATTENTION,
        "split_heads": SPLIT_HEADS,
        "join_heads": JOIN_HEADS,
        "causal_mask": CAUSAL_MASK,
        "rope": ROPE,
        "next_token": NEXT_TOKEN,
        "multi_head": MULTI_HEAD,
        "cross_entropy": CROSS_ENTROPY,
        "kv_cache": KV_CACHE,
        "induction_score": INDUCTION_SCORE,
        "induction_head": INDUCTION_HEAD,
    }
    return [(name, part.strip() + "\n") for name, text in texts.items() for part in text.split("====")]
