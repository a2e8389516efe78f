"""Attacks on the runner, by what they are after. One line is one attack; ⏎ stands for a new line.

{CANARY} is a file with a secret, {OUT} a path where nothing may be written, {TCP} and {UDP} are ports that somebody
listens on. A line is the body of the function that is asked for, and it answers wrongly, so that none of them may pass;
with a % in front it is the whole program.
"""

WRONG_RETURN = "    return x * 0 - 7.0\n"

FAMILIES = {
    "files_read": """
print(open("{CANARY}").read())
print(open("{CANARY}", "rb").read())
with open("{CANARY}") as f: print(f.read())
o = open; print(o("{CANARY}").read())
print([line for line in open("{CANARY}")])
print(ｏｐｅｎ("{CANARY}").read())
print(__builtins__["open"]("{CANARY}").read())
print(__builtins__.open("{CANARY}").read())
import io; print(io.open("{CANARY}").read())
import io; print(io.FileIO("{CANARY}").read())
import os; print(os.read(os.open("{CANARY}", 0), 1000))
import os; print(os.listdir("/"))
import os; print(os.path.exists("{CANARY}")); print(os.stat("{CANARY}")); print(os.open("{CANARY}", 0))
import os; print(list(os.scandir("/tmp"))); print(os.open("{CANARY}", 0))
import pathlib; print(pathlib.Path("{CANARY}").read_text())
from pathlib import Path; print(Path("{CANARY}").read_bytes())
import codecs; print(codecs.open("{CANARY}").read())
import tokenize; print(tokenize.open("{CANARY}").read())
import linecache; print(linecache.getlines("{CANARY}"))
import fileinput; print(list(fileinput.input("{CANARY}")))
import mmap, os; print(mmap.mmap(os.open("{CANARY}", 0), 0, prot=1)[:])
import shutil; shutil.copy("{CANARY}", "{OUT}")
import configparser; c = configparser.ConfigParser(); print(c.read("{CANARY}"), c.sections())
import runpy; runpy.run_path("{CANARY}")
import importlib.util as u; print(u.spec_from_file_location("a", "{CANARY}").loader.get_data("{CANARY}"))
import zipfile; print(zipfile.ZipFile("{CANARY}").namelist())
import sqlite3; print(sqlite3.connect("{CANARY}").execute("select 1").fetchall())
import pkgutil; print(pkgutil.get_data("os", "{CANARY}"))
exec('print(open("{CANARY}").read())')
print(eval('open("{CANARY}").read()'))
eval(compile('print(open("{CANARY}").read())', 'a', 'exec'))
print(open("/proc/self/root{CANARY}").read())
print(open(0).read()); print(open("{CANARY}").read())
import os; print(os.readlink("/proc/self/exe")); print(os.open("{CANARY}", 0))
import ctypes; libc = ctypes.CDLL(None); f = libc.open(b"{CANARY}", 0); b = ctypes.create_string_buffer(200); libc.read(f, b, 200); print(b.value)
import ctypes; libc = ctypes.CDLL(None); f = libc.syscall(257, -100, b"{CANARY}", 0); b = ctypes.create_string_buffer(200); libc.read(f, b, 200); print(b.value)
import ctypes; libc = ctypes.CDLL(None); f = libc.syscall(437, -100, b"{CANARY}", b"0" * 24, 24); b = ctypes.create_string_buffer(200); libc.read(f, b, 200); print(b.value)
import ctypes; libc = ctypes.CDLL(None); f = libc.openat(-100, b"{CANARY}", 0); b = ctypes.create_string_buffer(200); print(libc.pread(f, b, 200, 0), b.value)
""",
    "files_write": """
open("{OUT}", "w").write("x")
with open("{OUT}", "a") as f: f.write("x")
print("x", file=open("{OUT}", "w"))
import os; os.write(os.open("{OUT}", 65), b"x")
import os; os.mkdir("{OUT}")
import os; os.makedirs("{OUT}/a/b")
import os; os.symlink("{CANARY}", "{OUT}")
import os; os.link("{CANARY}", "{OUT}")
import os; os.mkfifo("{OUT}")
import os; os.mknod("{OUT}")
import os; os.rename("{CANARY}", "{OUT}")
import os; os.unlink("{CANARY}")
import os; os.remove("{CANARY}")
import os; os.chmod("{CANARY}", 0)
import os; os.chown("{CANARY}", 1, 1)
import os; os.truncate("{CANARY}", 0)
import os; os.utime("{CANARY}", (0, 0))
import os; os.chdir("/tmp"); open("{OUT}", "w")
import os; os.setxattr("{CANARY}", "user.a", b"1"); os.mkdir("{OUT}")
import pathlib; pathlib.Path("{OUT}").touch()
import pathlib; pathlib.Path("{OUT}").write_text("x")
import tempfile; print(tempfile.NamedTemporaryFile(delete=False).name); open("{OUT}", "w")
import shutil; shutil.rmtree("{CANARY}")
import logging; logging.basicConfig(filename="{OUT}"); logging.error("x")
import ctypes; ctypes.CDLL(None).unlink(b"{CANARY}")
import ctypes; ctypes.CDLL(None).mkdir(b"{OUT}", 511)
import ctypes; ctypes.CDLL(None).chmod(b"{CANARY}", 0)
import ctypes; ctypes.CDLL(None).fopen(b"{OUT}", b"w")
import ctypes; ctypes.CDLL(None).creat(b"{OUT}", 511)
import ctypes; ctypes.CDLL(None).rename(b"{CANARY}", b"{OUT}")
import ctypes; ctypes.CDLL(None).syscall(425, 8, None); open("{OUT}", "w")
""",
    "secrets": """
import os; print(os.environ)
import os; print(os.environ["SECRET_OF_THE_COURSE"])
import os; print(os.getenv("SECRET_OF_THE_COURSE"))
import os; print(dict(os.environb))
print(open("/proc/self/environ").read())
print(open("/proc/1/environ").read())
import os; print(open(f"/proc/{os.getppid()}/environ").read())
import os; print(open(f"/proc/{os.getppid()}/mem", "rb").read(1))
import os; print(os.listdir("/proc/%d/fd" % os.getppid()))
import sys; print(sys.argv, sys.path, sys.flags)
import sys; print([m for m in sys.modules if "streamlit" in m or "attention" in m])
import streamlit as st; print(st.secrets)
import attention_core; print(attention_core)
from pages.exercises import catalogue; print(catalogue)
import ctypes; print(ctypes.CDLL(None).getenv(b"SECRET_OF_THE_COURSE")); ctypes.c_char_p.in_dll(ctypes.CDLL(None), "environ")
import ctypes, os; b = ctypes.create_string_buffer(64); print(ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0))
import ctypes, os; b = ctypes.create_string_buffer(64); print(ctypes.CDLL(None).syscall(310, os.getppid(), b, 1, b, 1, 0))
import ctypes, os; print(ctypes.CDLL(None).syscall(434, os.getppid(), 0))
print(open("/etc/passwd").read())
import pwd; print(pwd.getpwall())
import getpass; print(getpass.getuser()); print(open("{CANARY}").read())
import platform; print(platform.uname()); print(open("{CANARY}").read())
import socket; print(socket.gethostname()); print(open("{CANARY}").read())
import ctypes; libc = ctypes.CDLL(None); print(libc.syscall(250, 11, 0xfffffffd, 0, 0, 0))
""",
    "network": """
import socket; s = socket.socket(); s.connect(("127.0.0.1", {TCP})); s.send(b"x")
import socket; socket.create_connection(("127.0.0.1", {TCP}), 1)
import socket; socket.socket(2, 2).sendto(b"x", ("127.0.0.1", {UDP}))
import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.accept())
import socket; print(socket.socketpair())
import socket; print(socket.getaddrinfo("localhost", {TCP})); socket.create_connection(("localhost", {TCP}))
import socket; socket.socket(socket.AF_UNIX).connect("/run/x")
import socket; socket.fromfd(0, 2, 1).connect(("127.0.0.1", {TCP}))
import socket; socket.socket(fileno=0).connect(("127.0.0.1", {TCP}))
import socket; socket.socket(16, 3, 0)
import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:{TCP}/").read())
from urllib.request import urlopen; urlopen("http://127.0.0.1:{TCP}/")
import http.client; http.client.HTTPConnection("127.0.0.1", {TCP}).request("GET", "/")
import ftplib; ftplib.FTP().connect("127.0.0.1", {TCP})
import smtplib; smtplib.SMTP("127.0.0.1", {TCP})
import xmlrpc.client; xmlrpc.client.ServerProxy("http://127.0.0.1:{TCP}").a()
import asyncio; asyncio.run(asyncio.open_connection("127.0.0.1", {TCP}))
import ssl; ssl.get_server_certificate(("127.0.0.1", {TCP}))
import requests; requests.get("http://127.0.0.1:{TCP}/")
import ctypes; print(ctypes.CDLL(None).socket(2, 1, 0))
import ctypes; print(ctypes.CDLL(None).syscall(41, 2, 2, 0))
import ctypes; print(ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(200)))
import webbrowser; webbrowser.open("http://127.0.0.1:{TCP}/")
import multiprocessing.connection as c; c.Client(("127.0.0.1", {TCP}))
""",
    "processes": """
import os; os.system("touch {OUT}")
import os; print(os.popen("cat {CANARY}").read())
import os; os.execv("/bin/sh", ["sh", "-c", "touch {OUT}"])
import os; os.fork()
%import os⏎def softmax(x):⏎    while True: os.fork()
import os; os.forkpty()
import os; os.posix_spawn("/bin/sh", ["sh", "-c", "touch {OUT}"], {})
import os; os.spawnv(0, "/bin/sh", ["sh", "-c", "touch {OUT}"])
import os; os.kill(os.getppid(), 9)
import os; os.kill(os.getppid(), 0)
import os; os.kill(-1, 9)
import os; os.killpg(0, 9)
import os; os.killpg(os.getpgrp(), 15)
import os, signal; os.kill(os.getpid(), signal.SIGSTOP)
import os; os.setsid(); os.setpgid(0, 0); os.fork()
import os; os.setuid(0); os.system("touch {OUT}")
import os; os._exit(0)
import os; os._exit(77)
import os; os._exit(78)
import os; os.abort()
import sys; sys.exit(0)
raise SystemExit
import subprocess; subprocess.run(["touch", "{OUT}"])
import subprocess; print(subprocess.check_output("cat {CANARY}", shell=True))
import subprocess; subprocess.Popen(["/bin/sleep", "1000"])
import multiprocessing; multiprocessing.Process(target=print).start()
from multiprocessing import Pool; Pool(2)
import concurrent.futures as f; print(f.ProcessPoolExecutor(1).submit(print).result(1))
import threading; threading.Thread(target=print).start()
import _thread; _thread.start_new_thread(print, ())
import asyncio; asyncio.run(asyncio.create_subprocess_exec("touch", "{OUT}"))
import pty; pty.spawn("/bin/sh")
import ctypes; ctypes.CDLL(None).system(b"touch {OUT}")
import ctypes; ctypes.CDLL(None).fork()
import ctypes; ctypes.CDLL(None).vfork()
import ctypes; ctypes.CDLL(None).syscall(435, ctypes.create_string_buffer(88), 88)
import ctypes; ctypes.CDLL(None).unshare(0x10000000)
import ctypes; ctypes.CDLL(None).prctl(1, 0); ctypes.CDLL(None).fork()
import ctypes, os; ctypes.CDLL(None).tgkill(os.getppid(), os.getppid(), 9)
import signal; signal.setitimer(signal.ITIMER_REAL, 0); signal.signal(signal.SIGPROF, signal.SIG_IGN); 1 in iter(int, 1)
import resource; resource.setrlimit(resource.RLIMIT_CPU, (100, 100)); resource.setrlimit(resource.RLIMIT_NPROC, (9, 9)); __import__("os").fork()
import os; os.nice(-20); os.sched_setaffinity(os.getppid(), [0]); os.fork()
import faulthandler; faulthandler._sigsegv()
import os; [os.dup(1) for _ in range(10**6)]
""",
    "internals_dunder": """
print(().__class__)
print(().__class__.__base__.__subclasses__())
print(().__class__.__mro__[1].__subclasses__()[100])
print("".__class__.__mro__)
print(x.__class__)
print(x.__array_interface__)
print(x.__array_struct__)
x.__setstate__((1, (1,), 1, 1, b""))
print(x.__reduce__())
print(x.__reduce_ex__(4))
print(x.__dir__())
print(softmax.__globals__)
print(softmax.__code__.co_consts)
softmax.__code__ = (lambda x: x).__code__
print(softmax.__closure__, softmax.__defaults__)
print(softmax.__builtins__)
print(print.__self__)
print(print.__func__.__globals__)
print(print.__reduce__())
print(len.__self__.open("{CANARY}").read())
print(np.__dict__)
print(np.__builtins__)
print(np.__loader__.get_data("{CANARY}"))
print(np.__file__, np.__path__)
print(np.sum.__globals__)
print(np.sum.__wrapped__.__globals__["sys"].modules)
print(np.exp.__class__)
print(np.add.__reduce__())
print(np.linalg.__dict__)
print(np.random.default_rng().bit_generator.__reduce__())
print(__builtins__)
print(__import__("os").environ)
print(__loader__, __spec__, __file__)
print(__build_class__)
print(__debug__, __doc__, __package__)
print(__annotations__)
print(__module_numpy)
print(＿＿import＿＿("os"))
print(().＿＿class＿＿)
__builtins__ = {}
__name__ = "x"
def __getattr__(n): return 1
global __builtins__; __builtins__ = None
f = lambda __class__: __class__; print(f(1))
print((lambda **k: k)(__class__=1))
for __x in [1]: pass
[__y for __y in [1]]
print(vars(x))
print(getattr(x, "__class__"))
print(getattr(np, "lo" + "ad")("{CANARY}"))
setattr(np, "sum", None)
delattr(np, "sum")
print(hasattr(x, "ctypes"), object)
print(dir(np))
print(globals())
print(globals()["__builtins__"]["open"]("{CANARY}").read())
print(locals())
print(type(x).__mro__)
print(type("A", (), {})())
print(type(type(x))("A", (), {}))
print(super())
print(object.__subclasses__())
print(property, classmethod, staticmethod)
print(memoryview(x), id(x), hash(1))
print(callable(x), breakpoint)
help()
""",
    "internals_format": """
print("{0.__class__}".format(x))
print("{0.__class__.__mro__}".format(x))
print("{x.__class__.__init__.__globals__}".format_map({"x": softmax}))
print("{0.__globals__}".format(softmax))
print("{a.__self__}".format(a=print))
f = "{0.__class__}".format; print(f(x))
print(str.format("{0.__class__}", x))
print(str.format_map("{x.__class__}", {"x": x}))
print(list(map(str.format, ["{0.__class__}"], [x])))
print("%(a)s" % {"a": x.__class__})
print(f"{x.__class__}")
print(f"{x.__class__.__mro__!r:>{10}}")
print(f"{(lambda: x.__class__)()}")
print(f"{open('{CANARY}').read()}")
print(f"{__import__('os').environ}")
print("a".encode("utf-8"), "a".translate({}))
print("a".maketrans("a", "b"))
import string; print(string.Formatter().format("{0.__class__}", x))
from string import Template; print(Template("$a").substitute(a=1))
print(np.array2string(x, formatter={"all": lambda v: v.__class__}))
""",
    "internals_frames": """
g = (i for i in [1]); print(g.gi_frame)
g = (i for i in [1]); print(g.gi_frame.f_back.f_globals)
g = (g.gi_frame.f_back.f_back for i in [1]); print(list(g))
g = (i for i in [1]); print(g.gi_code)
g = (i for i in [1]); print(g.gi_yieldfrom)
g = (i for i in [1]); g.send(None)
g = (i for i in [1]); g.throw(ValueError)
g = (i for i in [1]); g.close()
def gen(): yield 1⏎print(gen().gi_frame.f_builtins)
import sys; print(sys._getframe(1).f_locals)
import sys; print(sys._getframe().f_back.f_back.f_globals["REPLIES"])
import inspect; print(inspect.stack())
import inspect; print(inspect.currentframe().f_back.f_locals)
import traceback; traceback.print_stack()
import gc; print(len(gc.get_objects())); print([o for o in gc.get_objects() if isinstance(o, str) and "canary" in o][:9])
import gc; print(gc.get_referrers(x))
async def f(): pass⏎print(f().cr_frame)
print((lambda: (yield))().gi_frame.f_back)
try: 1 / 0⏎except ZeroDivisionError as e: print(e.__traceback__.tb_frame.f_back.f_globals)
try: 1 / 0⏎except ZeroDivisionError as e: print(e.__traceback__.tb_frame)
try: 1 / 0⏎except ZeroDivisionError as e: print(e.tb_frame, e.with_traceback(None))
try: x.nothing⏎except AttributeError as e: print(e.obj)
try: nothing⏎except NameError as e: print(e.name)
try: raise ValueError(1)⏎except ValueError as e: print(e.args)
try: raise ValueError(1)⏎except ValueError as e: e.add_note("x")
try: raise ValueError(1)⏎except ValueError as e: print(e.__context__, e.__cause__)
def g(): yield from g()⏎print(next(g()).value)
try: next(iter([]))⏎except StopIteration as e: print(e.value)
try: raise 1⏎except* ValueError as e: print(e)
try: raise ExceptionGroup("a", [ValueError()])⏎except* ValueError as e: print(e.exceptions)
try: raise BaseException⏎except BaseException: pass
try: raise KeyboardInterrupt⏎except: raise
import sys; print(sys.exc_info()[2], sys.last_traceback)
import sys; sys.settrace(lambda *a: print(a[0].f_back))
import sys; sys.setprofile(lambda *a: print(a[0].f_back))
""",
    "internals_classes": """
class A: pass⏎print(A())
class A:⏎    def __init__(self): pass⏎print(A().__init__.__globals__)
class A(np.ndarray): pass⏎print(A)
class A:⏎    def __array__(self, *a): return 1⏎np.array(A())
class A:⏎    def __index__(self): return 1⏎x[A()]
class A:⏎    def __del__(self): print(1)⏎A()
@print⏎def f(): pass
@eval⏎@input⏎def f(): pass
match x:⏎    case np.ndarray(shape=s): print(s)
match x:⏎    case object(__class__=c): print(c)
async def f():⏎    await f()
async def f():⏎    async with x: pass
async def f():⏎    async for i in x: pass
def f[T](a: T): return a
type A = int
with x as y: pass
with open("{CANARY}") as f, np.errstate(): print(f.read())
x.shape = (1,)
x.flags.writeable = False
x.dtype = int
np.add = None
np.linalg.norm = None
del np.add
np.testing.assert_allclose = print
np = x; np.resize(10**6)
numpy = x; numpy.load("{CANARY}")
def f(np): return np.resize(3)⏎f(x)
f = lambda np: np.load("{CANARY}"); f(x)
for np in [x]: np.resize(4)
[np for np in [x]]; (np := x).resize(5)
def np(): pass
import math as np; np.load("{CANARY}")
import numpy as q, math as q; q.load("{CANARY}")
from numpy import linalg as np; np.load("{CANARY}")
try: 1 / 0⏎except ZeroDivisionError as np: pass
with np.errstate() as np: pass
global np; np = x
def f():⏎    nonlocal np
del np
import numpy as __builtins__
""",
    "numpy_doors": """
print(np.load("{CANARY}"))
print(np.loadtxt("{CANARY}", dtype=str))
print(np.genfromtxt("{CANARY}", dtype=str))
print(np.fromfile("{CANARY}", dtype=np.uint8))
print(np.fromregex("{CANARY}", "(.*)", [("a", "S50")]))
print(np.memmap("{CANARY}", dtype=np.uint8, mode="r")[:])
print(np.lib.format.open_memmap("{CANARY}"))
print(np.DataSource().open("{CANARY}").read())
print(np.lib.npyio.DataSource().open("http://127.0.0.1:{TCP}/"))
np.save("{OUT}", x)
np.savetxt("{OUT}", x)
np.savez("{OUT}", x)
np.savez_compressed("{OUT}", x)
x.tofile("{OUT}")
x.dump("{OUT}")
print(x.dumps())
print(x.ctypes.data)
print(x.data)
print(x.base)
x.resize((10**6,), refcheck=False); print(x.sum())
print(x.view(np.uint64))
x.setflags(write=True)
x.setfield(1, np.float64)
print(x.getfield(np.int8))
print(x.tobytes())
print(np.lib.stride_tricks.as_strided(x, (10**6,), (8,)).sum())
from numpy.lib.stride_tricks import as_strided; print(as_strided(x, (10**6,), (8,)).sum())
print(np.ndarray((10,), float, buffer=x, offset=-80))
print(np.ndarray((1000,)))
print(np.frombuffer(x, dtype=np.uint8))
print(np.fromstring("1 2", sep=" "))
print(np.fromiter([1], float), np.load("{CANARY}"))
print(np.nditer(x), np.nested_iters)
print(np.frompyfunc(lambda a: a, 1, 1)(x))
print(np.ctypeslib.load_library("libc", "/"))
print(np.f2py.compile("a"))
print(np.core.multiarray.fromfile("{CANARY}", dtype=np.uint8))
print(np._core._multiarray_umath)
print(np.testing.measure("open('{OUT}', 'w')"))
print(np.testing.runstring("print(1)", {}))
print(np.testing.rundocs("{CANARY}"))
print(np.test())
print(np.show_config()); print(np.load("{CANARY}"))
print(np.get_include()); print(np.load("{CANARY}"))
print(np.info(np.load)); print(np.load("{CANARY}"))
print(np.source(np.sum) if hasattr(np, "source") else np.load("{CANARY}"))
print(np.rec.fromfile("{CANARY}"))
print(np.char.array(["a"]), np.strings)
print(np.ma.masked_array(x).dump("{OUT}"))
print(np.polynomial, np.fft, np.emath, np.lib)
import numpy.lib.npyio; print(numpy.load("{CANARY}"))
from numpy import load; print(load("{CANARY}"))
from numpy import lib; print(lib.npyio.load("{CANARY}"))
from numpy import *; print(load("{CANARY}"))
from numpy import ctypeslib
import numpy.f2py
import numpy.ctypeslib as c; print(c)
from numpy.testing import IS_WASM, measure
from numpy.linalg import lapack_lite
from numpy.random import Generator, bit_generator
from numpy import fromﬁle; print(fromfile("{CANARY}"))
print(np.fromﬁle("{CANARY}"))
print(np.random.bit_generator, np.random.mtrand)
print(np.random.default_rng().bit_generator.state)
np.random.default_rng().spawn(3)[0].bit_generator.ctypes
np.seterrcall(print); np.seterr(all="call")
np.setbufsize(10**9)
np.set_printoptions(override_repr=print); np.load("{CANARY}")
""",
    "memory": """
print(np.ones((10**5, 10**5)).shape)
print(np.zeros(10**10).sum())
print(np.full(10**9, 1.0).sum())
print(np.arange(10**10).sum())
print(np.eye(10**5).sum())
print(np.random.rand(10**9).sum())
print(np.repeat(x, 10**8).sum())
print(np.tile(x, (10**5, 10**4)).sum())
print(np.outer(np.arange(10**5.0), np.arange(10**5.0)).sum())
print(np.einsum("i,j,k->ijk", np.ones(2000), np.ones(2000), np.ones(2000)).sum())
print(np.kron(np.ones((3000, 3000)), np.ones((30, 30))).sum())
print(np.pad(x, 10**5).sum())
print(np.broadcast_to(x[0, 0], (10**5, 10**5)).copy())
print(np.indices((10**4, 10**4)).sum())
print(np.linspace(0, 1, 10**9).sum())
print(len("a" * 10**10))
print(len([0] * 10**10))
a = [0]⏎while True: a = a + a
a = "a"⏎while True: a += a
a = []⏎while True: a.append("x" * 10**6)
a = {}⏎for i in range(10**9): a[i] = [i] * 100
a = []⏎for i in range(10**9): a = [a, a, 1.5]
print(list(range(10**9))[-1])
print(sum([i for i in range(10**9)]))
print(10 ** 10 ** 9)
print(1 << 10**10)
print(f"{1:10000000000}")
print("%10000000000d" % 1)
print("a".center(10**10))
print("a".ljust(10**10), "a".zfill(10**10))
print("\\t".expandtabs(10**9) if False else "a".replace("a", "b" * 10**6).replace("b", "c" * 10**6))
print(",".join(["a" * 10**6] * 10**6))
print([[0] * 10**6 for _ in range(10**6)])
print(tuple(range(10**10)))
print(set(range(10**9)))
print(dict(enumerate(range(10**9))))
try: np.ones(10**10)⏎except MemoryError: softmax(x)
while True:⏎    try: np.ones(10**8)⏎    except MemoryError: pass
return np.ones((3000, 3000))
return [[1.0] * 3000] * 3000
return np.broadcast_to(1.0, (10**9, 10**9))
""",
    "processor": """
while True: pass
while 1: x = x + 1
for i in iter(int, 1): pass
1 in iter(int, 1)
max(iter(int, 1))
sum(iter(int, 1))
list(filter(None, iter(int, 1)))
all(i == 0 for i in iter(int, 1))
print(2 ** 10**8 % 7)
print(pow(3, 10**7))
print(math.factorial(10**7))
print(len(str(7 ** 10**5)), 9 ** 9 ** 8)
print(math.comb(10**7, 5 * 10**6))
sorted(range(10**8), key=lambda i: -i)
a = np.ones((3000, 3000))⏎while True: a = a @ a
np.linalg.svd(np.random.rand(1500, 1500))
np.linalg.eigvals(np.random.rand(1200, 1200))
np.einsum("ab,bc,cd,de,ef->af", *[np.ones((60, 60))] * 5)
np.vectorize(lambda i: i)(np.arange(10**7))
np.apply_along_axis(sum, 0, np.ones((10**3, 10**5)))
"a" * 10**7 in "b" * 10**7 + "a"
print("a" * 10**6 == ("a" * 5 * 10**5 + "b").replace("b", "a" * 5 * 10**5)); softmax(x)
def f(n): return f(n - 1) + f(n - 2) if n > 1 else n⏎f(60)
def f(n): return f(n + 1)⏎f(0)
return softmax(x)
try: softmax(x)⏎except RecursionError: softmax(x)
while True:⏎    try: 1 / 0⏎    except: pass
while True:⏎    try:⏎        while True: pass⏎    except Exception: pass
while True:⏎    try:⏎        while True: pass⏎    finally: continue
%while True: pass
%def softmax(x):⏎    yield from softmax(x)
%softmax = lambda x: softmax(x)
for i in range(10**9): print(i)
""",
    "c_stack": """
a = iter([1])⏎for _ in range(2 * 10**5): a = map(abs, a)⏎print(next(a))
a = iter([1])⏎for _ in range(2 * 10**5): a = filter(None, a)⏎print(next(a))
a = iter([1])⏎for _ in range(2 * 10**5): a = zip(a)⏎print(next(a))
a = iter([1])⏎for _ in range(2 * 10**5): a = enumerate(a)⏎print(next(a))
a = ()⏎for _ in range(2 * 10**5): a = (a,)⏎print(a)
a = []⏎for _ in range(2 * 10**5): a = [a]⏎print(a == [a])
a = []; a.append(a); print(a); return a
a = {}⏎for _ in range(10**5): a = {1: a}⏎print(str(a))
a = []⏎for _ in range(10**5): a = [a]⏎np.array(a, dtype=object)
a = [1.0]; a.append(a); return np.array(a)
a = []⏎for _ in range(10**5): a = [a]⏎return a
a = ()⏎for _ in range(10**5): a = (a, 1)⏎return a
a = ValueError(1)⏎for _ in range(10**5): a = ValueError(a)⏎raise a
f = abs⏎for _ in range(10**5): f = (lambda g: lambda v: g(v))(f)⏎f(1)
np.vectorize(softmax)(x)
np.piecewise(x, [x > 0], [softmax])
isinstance(1, ((((((((((((((((int,),),),),),),),),),),),),),),),))
a = int⏎for _ in range(2 * 10**5): a = (a,)⏎isinstance(1.5, a)
np.block([[[[[[[[[[[[[x]]]]]]]]]]]]])
""",
    "parser": """
%NESTED_PARENTHESES
%NESTED_LISTS
%NESTED_DICTS
%NESTED_UNARY
%NESTED_NOT
%NESTED_LAMBDA
%NESTED_IF
%NESTED_DEF
%NESTED_FOR
%NESTED_FSTRING
%NESTED_POWER
%NESTED_CALLS
%NESTED_ATTRIBUTES
%NESTED_SUBSCRIPTS
%NESTED_TERNARY
%LONG_SUM
%LONG_NUMBER
%LONG_HEX
%LONG_STRING
%LONG_LINE
%MANY_LINES
%MANY_ARGUMENTS
%MANY_NAMES
%NULL_BYTE
%ONLY_SPACES
%ONLY_TABS
%UNCLOSED
%BACKSLASHES
""",
    "text_tricks": """
print(𝒐𝒑𝒆𝒏("{CANARY}").read())
𝒆𝒗𝒂𝒍("1"); 𝓮𝔁𝓮𝓬("1")
print(𝔤𝔩𝔬𝔟𝔞𝔩𝔰())
print(x.ｄｕｍｐ("{OUT}"))
print(np.ｌｏａｄ("{CANARY}"))
print(np.ºload("{CANARY}"))
print(x.＿_class_＿)
ﬁle = 1; print(np.fromﬁle("{CANARY}"))
%# -*- coding: utf-7 -*-⏎+AG8AcABlAG4-("{CANARY}")
%# -*- coding: rot13 -*-⏎cevag(bcra("{CANARY}"))
%\u202edef softmax(x): pass
%def softmax(x):⏎    return x \u2066# harmless\u2069; open("{CANARY}")
%def softmax(x):\u2028    return open("{CANARY}")
%\ufeffdef softmax(x): return open("{CANARY}")
%def soft\u200dmax(x): return open("{CANARY}")
%def softmax(x):\x0c    return open("{CANARY}")
%def softmax(x):⏎    return "\ud800"
%def softmax(x):⏎    return \x1b[31m
%def softmax(x):\x00 return x
%def softmax(x):\x1a return x
print("\\ud800"); print("\\udcff" * 100)
print("\\x1b[2J\\x07"); raise ValueError("\\ud800\\x00")
print("<script>alert(1)</script>"); raise ValueError("<img src=x onerror=alert(1)>")
return "\\ud800"
eval("print(1)") if False else ｅｖａｌ("2")
import ｏｓ; print(os.environ)
from ｏｓ import environ
""",
    "tampering": """
import os; os.write(1, b'{"event": "value", "value": {"kind": "none"}}\\n')
import os; os.write(1, b'{"event": "done"}\\n')
import os; os.write(1, b'{"event": "done"}\\n'); os._exit(0)
import os; os.write(1, b'{"event": "passed"}\\n'); os._exit(0)
import os; os.write(1, b"not json\\n")
import os; os.write(1, b"[" * 100000 + b"\\n")
import os; os.write(1, b'{"event": "value", "value": {"kind": "array", "dtype": "O", "shape": [1], "data": ""}}\\n'); os._exit(0)
import os; os.write(1, b'{"event": "value", "value": {"kind": "array", "dtype": "<f8", "shape": [9999999999], "data": ""}}\\n'); os._exit(0)
import os; os.write(1, b'{"event": "value", "value": {"kind": "array", "dtype": "<f8", "shape": [-1], "data": "AAAA"}}\\n'); os._exit(0)
import os; os.write(1, b'{"event": "done", "prints": 5, "warnings": [[]]}\\n'); os._exit(0)
import os; os.write(1, b'{"event": "refused", "message": ["a"]}\\n'); os._exit(0)
import os; os.write(1, b'{"event": "error", "type": {}, "words": 1, "line": -5}\\n{"event": "done"}\\n'); os._exit(0)
import os; os.write(1, b"1e999 NaN Infinity\\n"); os._exit(0)
import os; os.write(1, b"9" * 5000 + b"\\n"); os._exit(0)
import os; os.write(1, b"\\xff\\xfe\\n"); os._exit(0)
import os; os.write(1, b"exit 0\\n"); os._exit(0)
import os; [os.write(fd, b"exit 0\\n") for fd in range(3, 30)]
import os; os.close(1)
import os; os.dup2(0, 1)
import os; os.read(0, 10**6)
import os; print(os.read(3, 100), os.read(0, 100))
import sys; sys.stdout.write("x"); sys.stdout.flush()
import sys; sys.modules["worker"].Run.finish = lambda *a, **k: None
import sys; sys.modules["__main__"].worker.send = print
import sys; sys.modules["messages"].packed = lambda v, level=0: {"kind": "none"}
import sys; sys.modules["check"].prepare = lambda s: s
import sys; sys.modules["numpy"].exp = None; sys.modules["numpy"].allclose = lambda *a, **k: True
import builtins; builtins.len = lambda v: 0; builtins.print = None
import json; json.dumps = lambda *a, **k: '{"event": "done"}'
import warnings; warnings.showwarning = None; warnings.warn("x" * 10**6)
np.allclose = lambda *a: True
np.testing.assert_allclose(x, x); raise AssertionError("passed")
raise Exception("passed", {"status": "passed"})
return True
return "passed"
return {"status": "passed"}
return np.array([object()])
return np.array(["passed"])
return [x, [x, [x, [x, [x]]]]]
return (x,) * 100
return lambda v: v
return (i for i in range(3))
return np.full(x.shape, np.nan)
return np.zeros(x.shape, dtype=[("a", float), ("b", int)])
return np.array(1e400) * np.ones((2, 3))
return np.longdouble(1) if False else np.float64
return x.astype("datetime64[s]")
return type
return np
return print
return 10**100
return range(10**9)
softmax = 5
%softmax = 5
%softmax = None
%softmax = print
%def softmax(): return 1
%def softmax(*a, **k): return a, k
%def softmax(x, y): return x
%def softmax(x, *, y): return x
%softmax = np.exp
%softmax = str
""",
    "answers": """
import gc; print([o for o in gc.get_objects() if type(o).__name__ == "ndarray"][:100])
import gc; return [o for o in gc.get_objects() if isinstance(o, np.ndarray)][-1]
import sys; return sys._getframe(1).f_locals.get("want")
import sys; print(sys._getframe(1).f_locals["request"]); print(sys._getframe(2).f_locals)
import sys; print(sys.modules["worker"].Run); return sys._getframe(1).f_locals["request"]["calls"][0]
from pages.exercises.catalogue import EXERCISES; return EXERCISES["softmax"].reference(x)
from attention_core import softmax as s; return s(x)
import attention_core.softmax as s; return s.softmax(x)
import sys; sys.path.insert(0, "/work/main"); import attention_core; return attention_core.softmax(x)
return np.empty(x.shape)
return np.empty_like(x)
y = np.empty(x.shape); y[0] = 0.5; return y
return np.add(x, x, where=np.zeros(x.shape, dtype=bool))
return np.ndarray(x.shape)
import ctypes; return np.frombuffer(ctypes.string_at(id(x), 1000), dtype=np.float64)
return softmax.__defaults__
import ctypes; print(ctypes.string_at(id(x) - 4096, 9000))
import scipy.special; return scipy.special.softmax(x)
import torch; return torch.softmax(torch.tensor(x), -1)
""",
    "influence": """
import sys; sys.setrecursionlimit(10**6); softmax(x)
np.set_printoptions(precision=1, threshold=1)
np.random.seed(0)
np.seterr(all="raise")
import sys; sys.modules.clear()
import builtins; builtins.range = None; builtins.__import__ = None
import numpy; numpy.exp = numpy.sin; numpy.ndarray = None
import os; os.chdir("/tmp"); os.umask(0); os.environ["A"] = "B"; os.mkdir("{OUT}")
import signal; signal.signal(signal.SIGALRM, signal.SIG_IGN); signal.alarm(0)
import atexit; atexit.register(print, "later")
import gc; gc.disable(); gc.set_threshold(0)
import warnings; warnings.simplefilter("error"); warnings.filters.clear()
import fcntl; fcntl.fcntl(0, 4, 2048); fcntl.fcntl(1, 4, 2048)
import os; os.set_blocking(1, False); os.set_blocking(0, False)
import fcntl; fcntl.fcntl(1, 1031, 4096)
import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b"x")
import os; os.lseek(0, 0, 0); os.ftruncate(1, 0)
import os; os.sched_setscheduler(0, 1, os.sched_param(1))
import os; os.setpriority(0, os.getppid(), 19)
import resource; resource.prlimit(__import__("os").getppid(), resource.RLIMIT_CPU, (1, 1))
import ctypes; ctypes.memset(id(len), 0, 64)
import ctypes; ctypes.string_at(0)
import ctypes; ctypes.CDLL(None).shmget(1234, 4096, 0o1666)
import multiprocessing.shared_memory as s; s.SharedMemory("later", True, 100)
import ctypes, mmap; m = mmap.mmap(-1, 4096, prot=7); print(m)
import sys; sys.stdin.close(); sys.stdout.close()
""",
    "floods": """
for i in range(10**6): print("x" * 100)
while True: print("x")
while True: print("", end="")
print("x" * 10**7)
print("\\n" * 10**5)
print(*range(10**6))
print(x, sep=None, end=None, flush=True); print("é" * 10**5)
for i in range(10**4): np.log(np.array([-1.0 - i]))
while True: np.log(np.array([-1.0]))
raise ValueError("x" * 10**7)
raise ValueError(*["x" * 1000] * 1000)
assert False, "x" * 10**6
import os; [os.write(1, b"x" * 10**5) for _ in range(100)]
import os⏎while True: os.write(1, b"{}\\n")
import os; os.write(1, b"x" * 60000); os.close(1)
import sys⏎while True: sys.stdout.buffer.write(b"x" * 9999)
import os; [os.write(2, b"x" * 10**5) for _ in range(100)]
print({i: "x" * 1000 for i in range(1000)})
return np.zeros((64, 64))
return [[0.0] * 64] * 64
return tuple(np.zeros((64, 64)) for _ in range(64))
return tuple(tuple(np.zeros((60, 60)) for _ in range(60)) for _ in range(60))
""",
}

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
    "NESTED_FSTRING": "x = f'" + "{f\"" * 30 + "1" + '"}' * 30 + "'",
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

REFUSED = (  # families of which every attack names something that is on no list
    "files_read files_write secrets network internals_dunder internals_format internals_classes numpy_doors".split()
)


SLOW = ("processor", "c_stack")
HARMLESS = ('type("A", (), {})', 'type(type(x))("A"', "np.ndarray((10")  # stand-ins, which say no when they are called


def attacks(**places):
    """Return (family, program) for every attack."""
    found = []
    for family, block in FAMILIES.items():
        for line in block.strip().split("\n"):
            found.append((family, program(line, places)))
    return found


def program(line, places):
    """Return the program of one line."""
    for name, value in places.items():
        line = line.replace("{" + name + "}", str(value))
    if line.startswith("%"):
        return BIG.get(line[1:], line[1:].replace("⏎", "\n"))
    return "def softmax(x):\n" + "".join(f"    {part}\n" for part in line.split("⏎")) + WRONG_RETURN
