"""Explanations that a student builds: of each statement how what fills its gap begins, and what its experiment shows.

The first is right. A number that moves, or one that stays, is what refutes the others.
"""

from tests.answers.oracle import Found, oracle

STAYS, MOVES, FALLS, RISES = r"stays ", r"(falls|rises) from ", "falls from ", "rises from "
STATEMENTS = {
    "qkv": {
        "query": {"its own vector": MOVES, "the vector of": STAYS, "all vectors": STAYS},
        "score": {"the key": MOVES, "the query": STAYS, "the value": STAYS},
        "weight": {"shrink": FALLS, "stay": FALLS, "grow": FALLS},
        "output": {"the sum of all": MOVES, "the value of the word with": MOVES, "its own value": MOVES},
        "swap": {"the output, but no": MOVES, "the weights, but no": STAYS, "neither": MOVES},
    },
    "scaling": {
        "spread": {"twice": "from 2 to 4", "four times": "be 8. But it rises from 2 to 4", "just": "be 2"},
        "collapse": {"grow": RISES, "shrink": RISES, "stay": RISES},
        "gradient": {"less": FALLS, "more": FALLS, "the same": FALLS},
        "root": {"1": r"stays 1\.0", "√d_k": r"be 22\.6\. But it stays 1\.0", "d_k": r"be 512\.0"},
        "width": {"nearer to equal": FALLS, "sharper": FALLS, "the same": FALLS},
    },
    "multi_head": {
        "read": {"the whole vector": MOVES, "the slice": MOVES, "the vectors of all": STAYS},
        "concat": {"one head": STAYS, "all heads": STAYS, "the word itself": MOVES},
        "mix": {"a sum": MOVES, "written by head 1": MOVES, "the product": r"be 0\.00\. But it (falls|rises)"},
        "cost": {"as many": "stays 16,384", "eight times": r"be 131,072\. But it stays", "an eighth": r"be 2,048\."},
    },
    "causal_mask": {
        "reads": {"itself and the words before": STAYS, "all words": STAYS, "itself alone": MOVES},
        "where": {"scores of −∞": r"to 0\.00", "weights of 0": r"falls from 1\.00", "scores of 0": r"be 0\.00\. But"},
        "parallel": {"the same": STAYS, "another": STAYS, "twice": "be .* But it stays"},
        "layers": {"in that layer": MOVES, "in no layer": MOVES, "only in the third": MOVES},
    },
    "positional_encoding": {
        "order": {"is the same": STAYS, "is another": STAYS, "is 0": r"be 0\.00\. But it stays"},
        "added": {"changes": MOVES, "stays": MOVES, "becomes 0": r"be 0\.00\. But it (falls|rises)"},
        "rope": {"stays": STAYS, "changes": STAYS, "becomes 0": r"be 0\.00\. But it stays"},
        "distance": {"changes": MOVES, "stays": MOVES, "becomes 0": r"be 0\.00\. But it (falls|rises)"},
        "values": {"queries and keys": STAYS, "queries, keys and": STAYS, "the vectors": STAYS},
    },
}
STATEMENTS["tiny_lm"] = {
    "now_writes": {
        "reads": {"all tokens": MOVES, "this token alone": MOVES, "the tokens before": MOVES},
        "heat": {"a smaller": FALLS, "a larger": FALLS, "the same": FALLS},
        "keys": {"stay": STAYS, "change": STAYS, "become 0": r"be 0\.00\. But it stays"},
        "kept": {"key and value": MOVES, "query, key": STAYS, "key alone": MOVES},
    },
    "now_learns": {
        "examples": {"one more": r"from \d+ to \d+\.", "as many": r"be \d+\. But it rises", "no more": RISES},
        "loss": {"larger by": RISES, "twice": "be .* But it rises", "half": "be .* But it rises"},
        "step": {"lowers": FALLS, "raises": FALLS, "does not": FALLS},
        "memory": {"rises": "of the first half from .* the second half " + RISES, "falls": RISES, "stays": RISES},
    },
    "now_inside": {
        "before": {"the letter": RISES, "itself": RISES, "the last": FALLS},
        "key": {"the letter": FALLS, "this digit alone": FALLS, "the position": FALLS},
        "rest": {"raise it": FALLS, "do not": FALLS, "lower it": FALLS},
        "copies": {"this digit": RISES, "the old": RISES, "each digit": r"be 0\.10\. But"},
    },
}


def register(lesson, name, shown):
    @oracle(lesson, f"explain_{name}")
    def statement(view):
        known = {option: next(words for words in shown if option.startswith(words)) for option in view.options}
        assert set(known.values()) == set(shown)
        right = next(iter(shown))
        found = {option for option, words in known.items() if words == right}
        return Found(found, {option: shown[words] for option, words in known.items()}, why=shown[right])


for lesson, told in STATEMENTS.items():
    for statements in told.values() if lesson == "tiny_lm" else [told]:
        for name, shown in statements.items():
            register(lesson, name, shown)
