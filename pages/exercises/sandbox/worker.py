"""One run of one text, and the process that forks itself for each of them.

The process that forks, the zygote, never reads what students write: a run that begins finds no trace of another.
"""

import ast
import gc
import os
import platform
import sys
import threading
import warnings
from types import FrameType, TracebackType

import allowlist
import lock_probes
import lockdown
import namespace
import numpy as np
from pipe import argument, describe, pack, receive, send

REQUESTS, REPLIES = 0, 1
MAX_WARNINGS = 20
MISREADS_FLAGS = platform.machine().lower() in ("arm64", "aarch64")  # as in attention_core
NOBODY_ASKS = 77  # an exit code: the end of the requests


class Execution:
    """One text on its way through its tests."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        self.printed = namespace.Printed()
        self.warnings: dict[tuple[int, str], None] = {}  # an ordered set

    def tell(self, event: str, **more: object) -> None:
        send(self.pipe, {"event": event, **more})

    def finish(self, event: str, **more: object) -> None:
        """Send the last message, with the output and the warnings."""
        self.tell(event, prints=self.printed.shown(), warnings=list(self.warnings), **more)

    def out_of_time(self, _: int, frame: FrameType | None) -> None:
        """Report the line at which the processor time ended, and exit."""
        self.finish("timeout", line=line_of_frame(frame))
        os._exit(0)

    def warned(self, message: Warning, *_: object, **__: object) -> None:
        """Record a warning with the student's line that caused it."""
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings[line_of_frame(sys._getframe()), describe(message)] = None

    def play(self, request: dict) -> None:
        """Check the text, run it, call its function on each input and send the results."""
        warnings.simplefilter("always")
        if MISREADS_FLAGS:
            warnings.filterwarnings("ignore", ".* encountered in (dot|matmul)")
        warnings.showwarning = self.warned
        try:
            self.calls(request)
        except allowlist.Refused as refusal:
            self.finish("refused", message=str(refusal))
        except MemoryError as error:
            line = line_of_error(error.__traceback__)
            error.__traceback__ = None
            self.finish("memory", line=line)
        else:
            self.finish("done")

    def calls(self, request: dict) -> None:
        program = allowlist.prepare(request["source"])
        self.tell("start")
        space = namespace.fresh(self.printed)
        try:
            exec(program, space)
        except MemoryError:
            raise
        except BaseException as error:
            self.tell("error", **describe_error(error))
            return
        function = space.get(request["entry"])
        if not callable(function):
            self.tell("missing", defined=functions(space))
            return
        for arguments in request["calls"]:
            try:
                value = function(*[argument(given) for given in arguments])
                self.tell("value", value=pack(value))
            except MemoryError:
                raise
            except BaseException as error:
                self.tell("raised", **describe_error(error))


def describe_error(error: BaseException) -> dict:
    return {"type": type(error).__name__, "words": describe(error), "line": line_of_error(error.__traceback__)}


def functions(space: dict) -> list[str]:
    """Return the names of the functions that a program defined, the first few."""
    own = [name for name, value in space.items() if type(value) is type(functions) and not name.startswith("__")]
    return [name[:60] for name in own[:10]]


def line_of_error(trace: TracebackType | None) -> int:
    """Return the innermost line of the student's code in a traceback."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == allowlist.FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def line_of_frame(frame: FrameType | None) -> int:
    """Return the student's line that is running, or that called what is running."""
    while frame is not None:
        if frame.f_code.co_filename == allowlist.FILE:
            return frame.f_lineno or 0
        frame = frame.f_back
    return 0


def serve(present: int, forked: bool) -> int:
    """Wait for one request, answer it under lock, and return the exit code; a forked process must be locked."""
    request = receive(REQUESTS)
    if request is None:
        return NOBODY_ASKS
    os.close(REQUESTS)
    run = Execution(REPLIES)
    if not lockdown.lock(REPLIES, present, run.out_of_time) and forked:
        return lockdown.NOT_LOCKED
    try:
        if "probe" in request:
            run.tell("probe", worked=lock_probes.attempt(request["probe"]))
        else:
            run.play(request)
    except MemoryError:
        return lockdown.OUT_OF_MEMORY
    return 0


def warm_up() -> None:
    """Do once what the first call does differently: BLAS makes system calls that no run may make."""
    square = np.eye(6)
    for function in (np.linalg.svd, np.linalg.inv, np.linalg.eigh, np.linalg.qr, np.linalg.det, str, repr):
        function(square)
    for dtype in (np.float32, np.complex64, np.complex128):
        square.astype(dtype) @ square.astype(dtype)
    np.ones((130, 130)) @ np.ones((130, 130))
    np.einsum("ij,jk->ik", square, square, optimize=True), np.tensordot(square, square, 1)
    np.percentile(square, 50), np.median(square), np.pad(square, 1), np.unique(square), np.histogram(square)
    np.random.default_rng(0).normal(size=2), np.random.default_rng().random()
    np.array2string(square, precision=2), np.vectorize(abs)(square), f"{np.float64(1.5):.2f}"
    allowlist.prepare("def f(x: int = 1):\n    import math as m\n    return [m.exp(y) for y in range(x)]")
    ast.unparse(ast.parse("np.load"))  # which Python 3.14 loads when it is called
    exec(allowlist.prepare("print([x ** 2 for x in range(3)])"), namespace.fresh(namespace.Printed()))


def zygote(status: int) -> None:
    """Fork forever: each child serves one request, and its end is reported on the status pipe."""
    warm_up()
    lockdown.prepare_process(REPLIES)
    if threading.active_count() != 1 or len(os.listdir("/proc/self/task")) != 1:
        sys.exit("more than one thread: forking would not be safe")
    present = lockdown.size_of_process()
    gc.collect()
    gc.freeze()
    os.write(status, b"ready\n")
    code = 0
    while code != NOBODY_ASKS:
        child = os.fork()
        if child == 0:
            os.close(status)
            leave(present, forked=True)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(status, f"exit {code}\n".encode())


def leave(present: int, forked: bool) -> None:
    """Serve one request and exit without cleanup."""
    code = 1
    try:
        code = serve(present, forked)
    finally:
        os._exit(code)


def main(arguments: list[str]) -> None:
    """Start as the zygote, or once: one request, one answer, for systems that should not fork."""
    if arguments[0] == "zygote":
        zygote(int(arguments[1]))
    else:
        warm_up()
        leave(lockdown.size_of_process(), forked=False)
