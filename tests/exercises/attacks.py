"""Attacks on the runner, by what they are after; they stand in `attacks.txt`, one a line.

There, ⏎ stands for a new line and ‹202e› for the character of that number. {CANARY} is a file with a secret, {OUT} a
path where nothing may be written, {ROOT} is the project, {TCP} and {UDP} are ports that somebody listens on. A line is
the body of the function that is asked for, and it answers wrongly, so that none of them may pass; with a % in front it
is the whole program, or the name of one that is made here.
"""

import re
from pathlib import Path

WRONG_RETURN = "    return x * 0 - 7.0\n"

BIG = {
    "NESTED_PARENTHESES": "x = " + "(" * 3000 + "1" + ")" * 3000,
    "NESTED_LISTS": "x = " + "[" * 2000 + "]" * 2000,
    "NESTED_DICTS": "x = " + "{1:" * 1500 + "1" + "}" * 1500,
    "NESTED_UNARY": "x = " + "-" * 900 + "1\ny = " + "~" * 900 + "1",
    "NESTED_NOT": "x = " + "not " * 240 + "1",
    "NESTED_LAMBDA": "x = " + "lambda: " * 120 + "1",
    "NESTED_IF": "\n".join(" " * i + "if 1:" for i in range(90)) + "\n" + " " * 90 + "pass",
    "NESTED_DEF": "\n".join(" " * i + "def f():" for i in range(90)) + "\n" + " " * 90 + "pass",
    "NESTED_FOR": "\n".join(" " * i + "for i in x:" for i in range(90)) + "\n" + " " * 90 + "pass",
    "NESTED_FSTRING": "x = f'" + '{f"' * 30 + "1" + '"}' * 30 + "'",
    "NESTED_POWER": "x = " + "1**" * 300 + "1",
    "NESTED_CALLS": "x = " + "abs(" * 900 + "1" + ")" * 900,
    "NESTED_ATTRIBUTES": "x = y" + ".T" * 450,
    "NESTED_SUBSCRIPTS": "x = y" + "[0]" * 300,
    "NESTED_TERNARY": "x = " + "1 if 1 else " * 80 + "1",
    "LONG_SUM": "x = (" + "\n+".join(["1" * 9 + "+1" * 400] * 8) + ")",
    "LONG_NUMBER": "x = " + "9" * 990,
    "LONG_HEX": "x = 0x" + "f" * 990,
    "LONG_STRING": "x = '''" + ("a" * 900 + "\n") * 8 + "'''",
    "LONG_LINE": "x = 1 " + "#" * 2000,
    "MANY_LINES": "x = 1\n" * 1000,
    "MANY_ARGUMENTS": "def f(" + ",\n".join(f"a{i}" for i in range(390)) + "): pass",
    "MANY_NAMES": "x = 1\n" * 10 + "y = [" + ",\n".join(["a,b,c,d,e,f,g,h"] * 380) + "]",
    "NULL_BYTE": "def softmax(x): return x\0",
    "ONLY_SPACES": " " * 900,
    "ONLY_TABS": "\t" * 900 + "x",
    "UNCLOSED": "def softmax(x:\n  '''",
    "BACKSLASHES": "\\\n" * 300,
}

REFUSED = [  # families of which every attack names something that is on no list
    *("files_read", "files_write", "secrets", "network"),
    *("internals_dunder", "internals_format", "internals_classes", "numpy_doors"),
]
OF_RIGHTS = (  # families whose luck may depend on who runs them
    *("files_read", "files_write", "secrets", "network", "processes"),
    *("numpy_doors", "tampering", "influence"),
)
HARMLESS = ('type("A", (), {})', 'type(type(x))("A"', "np.ndarray((10")  # stand-ins, which say no when they are called


def attacks(**places):
    found, family = [], ""
    for line in Path(__file__).with_name("attacks.txt").read_text(encoding="utf-8").split("\n"):
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            family = heading[1]
        elif line:
            found.append((family, program(line, places)))
    return found


def program(line, places):
    for name, value in places.items():
        line = line.replace("{" + name + "}", str(value))
    line = re.sub("‹([0-9a-f]+)›", lambda number: chr(int(number[1], 16)), line)
    if line.startswith("%"):
        return BIG.get(line[1:], line[1:].replace("⏎", "\n"))
    return "def softmax(x):\n" + "".join(f"    {part}\n" for part in line.split("⏎")) + WRONG_RETURN
