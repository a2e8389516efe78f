"""The second layer: what the kernel takes from a process before it touches a student's text. No way back.

Limits of the process (memory, processor, files), a clock that kills, and a filter of system calls (seccomp) that leaves
it little more than memory and one pipe. Where a part is missing, `lock` still does the rest and says so.
"""

import contextlib
import ctypes
import os
import platform
import signal
import struct
import sys
import time
from collections.abc import Callable
from functools import cache
from types import FrameType

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

CPU_SECONDS = 0.5  # of computing, however long it takes on a busy machine
HARD_CPU_SECONDS = (1, 2)  # the kernel's own: a signal, then the end
WALL_SECONDS = 15.0  # on a clock: only a process that got hardly any processor comes to its end
EXTRA_MEMORY = 128 << 20
NICE = 10
# exit codes: no memory left even to say so; a process that could not lock itself and therefore reads no text
OUT_OF_MEMORY, NOT_LOCKED = 78, 79

SET_PDEATHSIG, SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVS, FILTER = 1, 4, 22, 38, 2
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000  # REFUSE answers "not permitted"
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 32  # where they lie in what the filter sees
PROT_EXEC = 4

X86_64, AARCH64 = "x86_64", "aarch64"
MARKS = {X86_64: 0xC000003E, AARCH64: 0xC00000B7}  # by which the kernel tells the architectures apart
X32 = 0x40000000  # from here on, calls of a third set on x86_64

WRITE = {X86_64: 1, AARCH64: 64}
MAPS = {X86_64: (9, 10), AARCH64: (222, 226)}  # mmap, mprotect: but nothing that can be executed
ALLOWED = {
    # munmap, mremap, brk, madvise, futex, clock_gettime, gettimeofday, getrandom, rt_sigreturn, rt_sigprocmask,
    # restart_syscall, exit, exit_group
    X86_64: (11, 25, 12, 28, 202, 228, 96, 318, 15, 14, 219, 60, 231),
    AARCH64: (215, 216, 214, 233, 98, 113, 169, 278, 139, 135, 128, 93, 94),
}
KILLED = {
    # socket, socketpair, connect, sendto; clone, fork, vfork, clone3; execve, execveat; kill, tkill, tgkill,
    # rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal; ptrace, process_vm_readv, process_vm_writev, pidfd_open,
    # pidfd_getfd; unshare, setns, mount, pivot_root, chroot; bpf, userfaultfd, io_uring_setup
    X86_64: (
        *(41, 53, 42, 44, 56, 57, 58, 435, 59, 322, 62, 200, 234, 129, 297, 424, 101, 310, 311, 434, 438),
        *(272, 308, 165, 155, 161, 321, 323, 425),
    ),
    AARCH64: (
        *(198, 199, 203, 206, 220, 435, 221, 281, 129, 130, 131, 138, 240, 424, 117, 270, 271, 434, 438),
        *(97, 268, 40, 41, 51, 280, 282, 425),
    ),
}


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction of the filter; the jumps count the instructions that are left out."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def leads_to(number: int, verdict: int) -> bytes:
    """Return the two instructions that decide one system call."""
    return instruction(EQUAL, number, 0, 1) + instruction(RETURN, verdict)


def depends(number: int, argument: int, test: int, value: int, if_true: int, if_false: int) -> bytes:
    """Return the instructions that decide one system call by the low half of one of its arguments."""
    return b"".join(
        (
            instruction(EQUAL, number, 0, 4),
            instruction(LOAD, argument),
            instruction(test, value, 0, 1),
            instruction(RETURN, if_true),
            instruction(RETURN, if_false),
        )
    )


@cache
def program(machine: str, reply: int) -> bytes:
    """Return the filter for a machine, which lets a process write to the reply pipe and to nothing else."""
    parts = [
        instruction(LOAD, ARCHITECTURE),
        instruction(EQUAL, MARKS[machine], 1, 0),
        instruction(RETURN, KILL),
        instruction(LOAD, NUMBER),
    ]
    if machine == X86_64:
        parts += [instruction(AT_LEAST, X32, 0, 1), instruction(RETURN, KILL)]
    parts += [depends(WRITE[machine], FIRST_ARGUMENT, EQUAL, reply, ALLOW, REFUSE)]
    parts += [depends(number, THIRD_ARGUMENT, ANY_BIT, PROT_EXEC, REFUSE, ALLOW) for number in MAPS[machine]]
    parts += [leads_to(number, ALLOW) for number in ALLOWED[machine]]
    parts += [leads_to(number, KILL) for number in KILLED[machine]]
    parts += [instruction(RETURN, REFUSE)]
    return b"".join(parts)


class Filter(ctypes.Structure):
    """The kernel's struct sock_fprog: number of instructions and their address."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def prepare_process(reply: int) -> None:
    """Do once before forking what all children share: compile the filter, and be the OOM killer's first choice."""
    if sys.platform == "linux" and platform.machine() in MARKS:
        c_prctl()
        program(platform.machine(), reply)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def size_of_process() -> int:
    """Return the address space in use in bytes, or 0 if unknown."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, AttributeError):
        return 0


def lock(reply: int, present: int, out_of_time: Callable[[int, FrameType | None], object]) -> bool:
    """Drop all privileges that a run does not need; return whether the kernel accepted all of it.

    `out_of_time` is the handler for the end of the processor time.
    """
    arm(out_of_time)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICE)
    limited = limit(present)
    if sys.platform != "linux":
        return False
    taken = [prctl(SET_PDEATHSIG, signal.SIGKILL), prctl(SET_DUMPABLE, 0), prctl(SET_NO_NEW_PRIVS, 1)]
    return filter_calls(reply) and limited and all(taken)


def prctl(option: int, second: int, third: int = 0) -> bool:
    """Set an option of this process; return whether that worked."""
    return c_prctl()(option, second, third, 0, 0) == 0


@cache
def c_prctl() -> Callable[..., int]:
    """Return the function of the C library, with its argument types."""
    call = ctypes.CDLL(None).prctl
    call.argtypes = [ctypes.c_int, *4 * [ctypes.c_ulong]]
    return call


def arm(out_of_time: Callable[[int, FrameType | None], object]) -> None:
    """Start both clocks: the end of processor time calls the handler, the end of real time kills."""
    if not hasattr(signal, "setitimer"):
        return
    signal.signal(signal.SIGPROF, out_of_time)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS, CPU_SECONDS / 2)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)


def limit(present: int) -> bool:
    """Set the resource limits that this system has; return whether each is at most what was asked for."""
    if resource is None:
        return False
    held = [present > 0]
    used = int(time.process_time())  # by its own start, where a process is started for every run
    limits = {"CPU": (used + HARD_CPU_SECONDS[0], used + HARD_CPU_SECONDS[1])}
    limits |= dict.fromkeys(("FSIZE", "CORE", "MEMLOCK", "MSGQUEUE", "NPROC", "NOFILE"), (0, 0))
    if present:
        limits["AS"] = (present + EXTRA_MEMORY,) * 2
    for name, pair in limits.items():
        which = getattr(resource, f"RLIMIT_{name}", None)
        if which is not None:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(which, pair)
            now = resource.getrlimit(which)[0]
            held.append(now != resource.RLIM_INFINITY and now <= pair[0])
    return all(held)


def filter_calls(reply: int) -> bool:
    """Install the system call filter, if the machine's architecture is known."""
    machine = platform.machine()
    if machine not in MARKS:
        return False
    instructions = program(machine, reply)
    known = Filter(len(instructions) // 8, instructions)
    return prctl(SET_SECCOMP, FILTER, ctypes.addressof(known))
