"""Hand-ins as a student would make them, and what becomes of them in the process that reads them."""

import io
import json
import zipfile

import numpy as np

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.practice import hand_in as hand_in_module
from pages.practice import hand_in_files
from pages.practice.hand_in import Claim, written

EMPTY = {"programs": {}, "points": {}, "answers": {}, "seeds": {}}


TASK = next(name for name in POINTS if name not in EXERCISES)


def hand_in(**parts):
    return written(EMPTY | parts).encode()


def files_in(name, data):
    """Return each file of an upload with its claim as it comes out of the process that reads it."""
    files = enumerate(hand_in_files.begin(name, np.frombuffer(data, np.uint8)))
    claims = ((file, hand_in_files.claimed(number, [*EXERCISES], [*POINTS])) for number, file in files)
    return [(file, Claim.of(json.loads(json.dumps(claim)))) for file, claim in claims]


def check(file, data, *run):
    claim = files_in("a.json", data)[0][1] if isinstance(data, bytes) else data
    return hand_in_module.check(file, claim, *run)


def archive(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, data in files.items():
            writing.writestr(name if "." in name else name + ".json", data)
        writing.mkdir("folder")
        writing.writestr("__MACOSX/._a.json", b"")
    return made.getvalue()
