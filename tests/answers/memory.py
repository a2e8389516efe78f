"""Questions from memory, at the end of a path and before the next: all of their numbers stand in the text."""

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers


@oracle("qkv", "now_score")
def score(view):
    query, key = np.reshape(numbers(view.text)[:4], (2, 2))
    products = query * key
    mistakes = {"added the entries": sum(query + key), "multiplied the products": products[0] * products[1]}
    mistakes |= {"one of the two products": products.max(), "divided by √2": products.sum() / np.sqrt(2)}
    return Found(products.sum(), mistakes)
