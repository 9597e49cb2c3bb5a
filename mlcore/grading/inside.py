"""The student's side of the border: a server that forks a fresh process for every submission.

It runs inside bubblewrap with numpy, IPython and the mathematics loaded once. Each submission gets user, process,
mount and ipc namespaces of its own (mode "namespaces"), so that it sees neither the server nor what another
submission left. Where the system does not allow that, the whole server serves one submission (mode "alone").
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gc
import importlib
import io
import os
import pkgutil
import resource
import select
import signal
import socket
import struct
import sys
import traceback
from dataclasses import dataclass
from typing import Any

from mlcore.engine.asking.answers import collect, public
from mlcore.engine.asking.stopping import Stopped, stoppable
from mlcore.grading import wire

MB = 1 << 20
LONGEST_OUTPUT = 20_000  # characters of one cell's output

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID = 0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000
NOSUID, NODEV, NOEXEC, REC, PRIVATE = 2, 4, 8, 16384, 1 << 18
CAPBSET_DROP, NO_NEW_PRIVS, PDEATHSIG, SECCOMP = 24, 38, 1, 22
# memfd_create, memfd_secret, shmget and msgget hold memory that no limit counts; in a session of its own (setsid) a
# process has its own share of the processor.
REFUSED = {
    "x86_64": (0xC000003E, (319, 447, 29, 68, 112)),
    "aarch64": (0xC00000B7, (279, 447, 194, 186, 157)),
}

libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    seconds: float = 60.0  # of the clock, for the whole notebook
    cell_seconds: float = 10.0  # for one cell or one exercise
    memory: int = 512  # MB beyond what the server has loaded
    processes: int = 64
    file_size: int = 32  # MB
    scratch: int = 64  # MB of a folder of its own
    files: int = 4096  # in that folder
    scratch_at: str = "/tmp"


def main(control_fd: int, mode: str, limits: Limits) -> None:
    libc.prctl(PDEATHSIG, signal.SIGKILL)
    control = socket.socket(fileno=control_fd)
    shell = Shell()
    for module in pkgutil.iter_modules(importlib.import_module("mlcore").__path__):
        if not module.ispkg:
            importlib.import_module(f"mlcore.{module.name}")
    gc.collect()
    gc.freeze()
    wire.send(control, {"ready": True})
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not data:
            return
        if descriptors:
            ended = _serve(control, descriptors[0], mode, limits, shell)
            wire.send(control, {"ended": ended})


def _serve(control: socket.socket, descriptor: int, mode: str, limits: Limits, shell: Shell) -> str:
    """Run one submission to its end. Returns why it ended, if that was not its own will."""
    told, tell = os.pipe()
    outer = os.fork()
    if outer == 0:
        control.close()
        os.close(told)
        _separate(descriptor, tell, mode, limits, shell)  # never returns
    os.close(descriptor)
    os.close(tell)
    with os.fdopen(told) as pipe:  # the pid of the student's process, or what went wrong
        words = pipe.readline().split(maxsplit=1)
    if not words or words[0] != "pid":
        os.waitpid(outer, 0)
        return words[1] if words else "the process could not be set up"
    inner, why = int(words[1]), ""
    watched, base = os.pidfd_open(outer), _private_memory("self")
    while True:
        ready, _, _ = select.select([watched, control.fileno()], [], [], 0.1)
        if watched in ready:
            break
        if control.fileno() in ready and not why:
            why = "stopped"
            control.recv(1)  # a word to stop, or the grader's end: then the next receive ends us too
            _kill(inner)
        elif mode == "plain":
            continue  # no namespace of its own: what can be seen from here is the whole machine
        elif not why and _used(base) > limits.memory * MB:
            why = "memory"
            _kill(inner)
        _give_way(outer)
    os.close(watched)
    status = os.waitstatus_to_exitcode(os.waitpid(outer, 0)[1])
    return why or {0: "", 128 + signal.SIGXCPU: "time"}.get(status, f"status {status}")


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _used(base: int) -> int:
    """Memory of all processes but ours beyond what they share with us."""
    return sum(max(0, _private_memory(name) - base) for name in _others())


def _others() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (os.getpid(), 1)]


def _private_memory(process: str) -> int:
    with contextlib.suppress(OSError), open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(("RssAnon:", "RssShmem:")))
    return 0


def _give_way(outer: int) -> None:
    """A submission of many processes and threads waits for those of one: it must not take another's time."""
    tasks: list[str] = []
    for process in _others():
        with contextlib.suppress(OSError):
            tasks += os.listdir(f"/proc/{process}/task") if int(process) != outer else []
    for task in tasks if len(tasks) > 1 else ():
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(task), 19)


# In the student's process.


def _separate(descriptor: int, tell: int, mode: str, limits: Limits, shell: Shell) -> None:
    """Namespaces of its own for the process that will run the student's code; this one waits for it."""
    try:
        if mode == "namespaces":
            _own_user()
        inner = os.fork()
    except OSError as error:
        os.write(tell, f"failed {error}\n".encode())
        os._exit(1)
    if inner:
        os.write(tell, f"pid {inner}\n".encode())
        os.close(tell)
        os.close(descriptor)
        status = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
        os._exit(128 - status if status < 0 else status)
    try:
        os.close(tell)
        _shut_in(descriptor, mode, limits)
        _obey(socket.socket(fileno=descriptor), shell)
    except (wire.Gone, wire.Garbled):
        pass
    except BaseException:  # no handler of the student's runs on
        os._exit(70)
    os._exit(0)


def _own_user() -> None:
    user, group = os.getuid(), os.getgid()
    _must(libc.unshare(NEWUSER | NEWNS | NEWPID | NEWIPC | NEWUTS), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _shut_in(descriptor: int, mode: str, limits: Limits) -> None:
    if mode == "namespaces":
        _mount("none", "/", None, REC | PRIVATE)
        options = f"size={limits.scratch}m,nr_inodes={limits.files},mode=1777"
        _mount("tmpfs", limits.scratch_at, "tmpfs", NOSUID | NODEV, options)
        _mount("tmpfs", "/dev/shm", "tmpfs", NOSUID | NODEV, options)
        _mount("proc", "/proc", "proc", NOSUID | NODEV | NOEXEC)
        _write("/proc/sys/user/max_user_namespaces", "0")
        _drop_capabilities()
    elif mode == "plain":
        libc.prctl(PDEATHSIG, signal.SIGKILL)
    _must(libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.set_inheritable(descriptor, False)
    for low, high in ((3, descriptor), (descriptor + 1, 1 << 16)):
        os.closerange(low, high)
    if mode != "plain":
        os.chdir(limits.scratch_at)
        _limit(resource.RLIMIT_NPROC, limits.processes)
    with open("/proc/self/statm", encoding="ascii") as file:
        loaded = int(file.read().split()[0]) * resource.getpagesize()
    _limit(resource.RLIMIT_AS, loaded + limits.memory * MB)
    _limit(resource.RLIMIT_FSIZE, limits.file_size * MB)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, 64)
    _limit(resource.RLIMIT_CPU, int(limits.seconds) + 5)
    if mode != "plain":
        _refuse(REFUSED.get(os.uname().machine))


def _refuse(system: tuple[int, tuple[int, ...]] | None) -> None:
    """A seccomp filter: these calls, and all calls of another architecture's numbers, fail."""
    if system is None:
        return
    own, calls = system
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    n = len(calls)  # each step: what, how many steps to skip if it holds and if not, with which number
    steps = [(load, 0, 0, 4), (equal, 0, n + 3, own), (load, 0, 0, 0), (at_least, n + 1, 0, 0x40000000)]
    steps += [(equal, n - i, 0, call) for i, call in enumerate(calls)]
    steps += [(answer, 0, 0, 0x7FFF0000), (answer, 0, 0, 0x00050000 | errno.EPERM)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HP", len(steps), ctypes.addressof(code))
    _must(libc.prctl(SECCOMP, 2, program, 0, 0), "seccomp")


def _drop_capabilities() -> None:
    for capability in range(64):
        libc.prctl(CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _must(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    words = (source.encode(), target.encode(), kind and kind.encode())
    _must(libc.mount(*words, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def _must(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _limit(what: int, value: int) -> None:
    resource.setrlimit(what, (value, value))


def _obey(channel: socket.socket, shell: Shell) -> None:
    """Run what the grader asks for until it hangs up."""
    own = os.getpid()
    while True:
        answer: dict = {}
        match wire.receive(channel):
            case {"cell": str(source), "limit": limit}:
                answer = {"outputs": shell.run(source, limit)}
            case {"ask": str(question), "answers": list(names), "limit": limit}:
                plan, watch = wire.unpacked_question(question)
                answers = [shell.value(name) for name in names]
                replies = collect(answers, plan, watch, limit)
                answer = {"replies": [wire.packed_reply(reply) for reply in replies]}
        if os.getpid() != own:  # the student's code forked, and this is the copy
            os._exit(0)
        wire.send(channel, answer)


class Shell:
    """IPython without a kernel: runs a cell and keeps what it showed."""

    def __init__(self) -> None:
        from IPython.core.displaypub import CapturingDisplayPublisher
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.xmode = "Plain"
        self.shell: Any = InteractiveShell.instance(config=config, display_pub_class=CapturingDisplayPublisher)
        self.shell.display_trap.hook = self._show
        for shown in ("showtraceback", "showsyntaxerror"):  # told in our own words, see _told
            setattr(self.shell, shown, lambda *args, **options: None)
        self._shown: list[dict] = []

    def _show(self, value: Any) -> None:
        if value is not None:
            data, _ = self.shell.display_formatter.format(value, include={"text/plain"})
            self._shown.append({"kind": "result", "text": str(data.get("text/plain", ""))[:LONGEST_OUTPUT]})
            self.shell.user_ns["_"] = value

    def run(self, source: str, limit: float) -> list[dict]:
        self._shown = []
        printed = _Short()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), stoppable(limit, _RUN):
            error = self._run(source)
        trouble = [_told(error)] if error else []
        stream = [{"kind": "stream", "text": printed.getvalue()}] if printed.getvalue() else []
        return [*stream, *self._shown[:20], *trouble]

    def _run(self, source: str) -> BaseException | None:
        try:
            result = self.shell.run_cell(source, store_history=False)
            return result.error_before_exec or result.error_in_exec
        except BaseException as error:
            sys.settrace(None)  # see stoppable
            return error

    def value(self, expression: str) -> Any:
        """An answer of the student's by its name; what is not there has not been attempted."""
        try:
            return eval(expression, self.shell.user_ns)
        except Exception:
            return ...


_RUN = Shell._run.__code__


class _Short(io.StringIO):
    """Keeps the first part of what is printed, however much that is."""

    def write(self, text: str) -> int:
        if self.tell() < LONGEST_OUTPUT:
            super().write(str(text)[: LONGEST_OUTPUT - self.tell()])
        return len(text)


def _told(error: BaseException) -> dict:
    """An error as a notebook shows it, without the frames that are ours."""
    name, message = public(type(error).__name__), ""
    with contextlib.suppress(Exception):
        message = str(error)[:2000]
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<ipython")]
    lines = [f"line {frame.lineno}, in {frame.name}\n    {frame.line}" for frame in own[-6:]]
    if isinstance(error, SyntaxError):
        lines = [f"line {error.lineno}\n    {error.text or ''}".rstrip()]
    if isinstance(error, Stopped):
        name = "Stopped"
    return {"kind": "error", "name": name[:100], "message": message, "trace": "\n".join(lines)[:4000]}
