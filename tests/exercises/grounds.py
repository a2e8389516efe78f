"""What attacks are after, laid out where they can find it: a file, a variable, two ports and a place to write."""

import base64
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading.grade import report
from pages.exercises.runner.slots import ForkingSlot
from pages.exercises.submission import pack

ROOT = Path(__file__).parents[2]
ODD = str(Path(__file__).with_name("odd_worker.py"))
CONTENT = "canary-8f1b5d2c"
SECRET = "secret-of-the-course-77aa91"
SECRET_NAME = "SECRET_OF_THE_COURSE"


class Grounds:
    """A file, two ports and a place to write, and whether anybody reached them."""

    def __init__(self, folder):
        self.canary, self.out = folder / "canary.txt", folder / "out"
        self.canary.write_text(CONTENT)
        self.canary.chmod(0o666)  # nothing but the sandbox stands between
        folder.chmod(0o777)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.before = self.canary.stat()
        for listener in (self.tcp, self.udp):
            listener.setblocking(False)

    def places(self):
        ports = {"TCP": self.tcp.getsockname()[1], "UDP": self.udp.getsockname()[1]}
        return {"CANARY": self.canary, "OUT": self.out, "ROOT": ROOT, **ports}

    def close(self):
        self.tcp.close()
        self.udp.close()

    def reached(self):
        """Return what an attack got at, in the world outside."""
        found = [] if not os.path.lexists(self.out) else ["something was written"]
        now = self.canary.stat() if self.canary.exists() else None
        if now is None or unlike(now, self.before) or self.canary.read_text() != CONTENT:
            found.append("the file was changed")
        for name, listen in (("TCP", self.tcp.accept), ("UDP", lambda: self.udp.recv(9))):
            try:
                listen()
                found.append(f"{name} was reached")
            except BlockingIOError:
                pass
        return found


def unlike(now, before):
    """Tell whether a file was touched, but for having been read."""
    return any(
        getattr(now, name) != getattr(before, name) for name in ("st_mode", "st_size", "st_mtime", "st_ino", "st_uid")
    )


def parts(data):
    """Return the bytes that came back, and those of each array in them."""
    found = [data]
    for line in data.split(b"\n"):
        try:
            value = json.loads(line).get("value")
        except (ValueError, AttributeError, RecursionError):
            continue
        while isinstance(value, dict) and isinstance(value.get("parts"), list) and value["parts"]:
            value = value["parts"][0]
        if isinstance(value, dict) and isinstance(value.get("data"), str):
            found.append(base64.b64decode(value["data"] + "=="))
    return found


def request(source, name, cases):
    """Return what the service would ask a slot for."""
    calls = [[pack(given) for given in case.arguments] for case in cases]
    return {"source": source, "entry": EXERCISES[name].entry, "calls": calls}


def assault(rng, oddities, every, n_slots=2):
    """Run attacks against workers of their own, straight past the service; return what each came to."""
    exercise = EXERCISES["softmax"]
    cases = exercise.cases(rng)
    slots = [ForkingSlot(ODD, oddities) for _ in range(n_slots)]

    def play(slot, numbered):
        outcomes = []
        for number, (family, source) in numbered:
            if "\ud800" in source:  # half characters are refused before they could be sent
                continue
            answer = slot.ask(request(source, "softmax", cases))
            came = [*parts(answer.data)]  # as text, or as the bytes of arrays
            leaked = [secret for secret in (CONTENT, SECRET) if any(secret.encode() in part for part in came)]
            outcomes.append((family, source, report(exercise, cases, answer), leaked))
            if number % 10 == 0 or family == "influence":
                after = report(exercise, cases, slot.ask(request(EXERCISES["softmax"].solution, "softmax", cases)))
                assert after.status == "passed", (family, source, after)
        return outcomes

    try:
        with ThreadPoolExecutor(n_slots) as pool:
            numbered = list(enumerate(every))
            shares = [pool.submit(play, slot, numbered[i::n_slots]) for i, slot in enumerate(slots)]
            return [outcome for share in shares for outcome in share.result()]
    finally:
        for slot in slots:
            slot.close()
