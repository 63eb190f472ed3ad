"""Commands of Kontor in processes of their own, without a second of imports for each.

Tests start hundreds of nodes, lobbies and commands, and each spends most of its processor time on importing the same
modules. `Popen` here is `subprocess.Popen`; but if it is asked to run Kontor's entry with this Python, a process that
has imported everything (`quick_child.py`, one for each process that runs tests) forks, and the fork becomes the
command: with its words, folder, environment, streams and session, and as a child of ours. It can be waited for, be sent
signals and be killed like any other. Whatever asks for more is started in the usual way, and so is everything where
processes are counted for coverage, or where there is no Linux.

A fork comes to us because we say, while it is made, that we take orphans (PR_SET_CHILD_SUBREAPER) and because its
parent ends at once. The usual start is what `tests/integration`, the tests of the installed wheel and every process
that Kontor itself starts still use.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import inspect
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, AnyStr

import pytest

from kontor_games.net.archive import judge_pool

ROOT = Path(__file__).parents[2]
PACKAGE = str(ROOT / "scripts" / "package")
LENGTH = struct.Struct("!I")
TAKE_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
MAIN = "import sys; from kontor_games.clients.entry import main; sys.exit(main())"
ENTRY, JUDGE = "kontor_games.clients.entry", "kontor_games.net.archive.judge_process"
STARTS = {("-m", ENTRY): ENTRY, ("-c", MAIN): ENTRY, ("-m", JUDGE): JUDGE}
GIVEN = tuple(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]  # type: ignore[attr-defined]
UNUSUAL = {"preexec_fn": None, "pass_fds": (), "shell": False, "gid": None, "uid": None, "gids": None, "umask": -1}
FREE = ("PYTHONIOENCODING", "PYTHONPATH")  # settings of Python that a fork can follow, or that lead to the same Kontor
COUNTED = ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")


class Popen(subprocess.Popen[AnyStr]):
    """A process like any other; commands of Kontor begin sooner."""

    def _execute_child(self, *arguments: Any) -> None:
        given = dict(zip(GIVEN, arguments, strict=True))
        order = order_of(given)
        if order is None:
            super()._execute_child(*arguments)  # type: ignore[misc]
            return
        files = [given["p2cread"], given["c2pwrite"], given["errwrite"]]
        self.pid = starter().start(order, [own if each == -1 else each for own, each in enumerate(files)])
        self._child_created = True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(given[each] for each in ends))  # type: ignore[attr-defined]


def run(
    command: Sequence[str], *, timeout: float, input: AnyStr | None = None, check: bool = False, **how: Any
) -> subprocess.CompletedProcess[AnyStr]:
    """`subprocess.run`, which keeps what was said on both streams."""
    where = {"stdin": None if input is None else subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Popen(command, **where, **how) as process:
        try:
            said, complained = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, said, complained)
    if check:
        done.check_returncode()
    return done


def order_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """What to tell the process that forks; None if this has to be started in the usual way."""
    if sys.platform != "linux" or any(given.get(name, usual) != usual for name, usual in UNUSUAL.items()):
        return None
    if isinstance(given["args"], str | bytes | os.PathLike):
        return None
    words = [os.fsdecode(each) for each in given["args"]]
    found = words_of(words)
    environment = dict(os.environ if given["env"] is None else given["env"])
    if found is None or set(COUNTED) & set(environment) or not is_as_here(environment):
        return None
    program, options, rest = found
    folder = os.getcwd() if given["cwd"] is None else os.path.abspath(os.fsdecode(given["cwd"]))
    return {
        "program": program,
        "words": ["kontor", *rest],
        "warnings": [each for each in options if each not in ("-P", "-W")],
        "folder": folder,
        "environment": environment,
        "is_new_session": given["start_new_session"],
    }


def words_of(command: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]] | None:
    """Which program this is, the options of Python and its words, if a fork can become it with such options."""
    if not command or command[0] != sys.executable:
        return None
    for at in range(1, 5):
        program, options = STARTS.get(tuple(command[at : at + 2])), command[1:at]
        if program is not None and tuple(options) in ((), ("-P",), ("-P", "-W", "error")):
            return program, options, command[at + 2 :]
    return None


def is_as_here(environment: Mapping[str, str]) -> bool:
    """Whether Python and the locale would begin as they did in the process that forks."""

    def settings(of: Mapping[str, str]) -> dict[str, str]:
        return {name: of[name] for name in of if name.startswith(("PYTHON", "LC_", "LANG")) and name not in FREE}

    return environment.get("PYTHONPATH", PACKAGE) == PACKAGE and settings(environment) == settings(os.environ)


class Starter:
    """The process that forks."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair()
        self._one_at_a_time = threading.Lock()
        code = (ROOT / "tests" / "worlds" / "quick_child.py").read_text(encoding="utf-8")
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", code, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": PACKAGE},
                pass_fds=[theirs.fileno()],
            )
        self._control = ctypes.CDLL(None, use_errno=True).prctl
        atexit.register(self.close)

    def start(self, order: Mapping[str, Any], files: Sequence[int]) -> int:
        """Let a process carry out an order with these standard streams; returns its number."""
        text = json.dumps(order).encode("ascii")
        with self._one_at_a_time:
            assert self._control(TAKE_ORPHANS, 1, 0, 0, 0) == 0
            try:
                socket.send_fds(self._orders, [LENGTH.pack(len(text))], files)
                self._orders.sendall(text)
                answer = b""
                while len(answer) < LENGTH.size + 1:
                    more = self._orders.recv(LENGTH.size + 1 - len(answer))
                    assert more, "the process that starts commands has ended"
                    answer += more
            finally:
                self._control(TAKE_ORPHANS, 0, 0, 0, 0)
        number: int = LENGTH.unpack(answer[: LENGTH.size])[0]
        return number

    def close(self) -> None:
        """End the process that forks; what it has become lives on."""
        self._orders.close()
        self._process.wait()


@pytest.fixture(autouse=True, scope="module")
def quick_judges() -> Iterator[None]:
    """For files whose tests have many files judged: the processes that judge are forks too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_pool, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": Popen}))
        yield


@functools.cache
def starter() -> Starter:
    """The one of this process."""
    return Starter()
