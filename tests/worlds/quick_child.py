"""A process that has imported Kontor and becomes one of its commands: the far side of `quick_start.py`.

It is run as text (`python -P -c`), so that the folder of the tests is on nobody's path. Orders come over a socket; for
each it forks twice and lets the one in the middle end, so that the command becomes a child of whoever ordered it. What
is a command then goes on below `serve`, at the top of this text: it ends as any program of Python ends.
"""

import gc
import importlib
import io
import json
import os
import socket
import struct
import sys
import warnings

from kontor_games import engine
from kontor_games.clients import entry
from kontor_games.net.archive import judge_process

LENGTH = struct.Struct("!I")
# What a node, a lobby and bots import when they start, besides the modules of the commands themselves.
BESIDES = (
    "clients.bots",
    "lobby.admin.opening",
    "lobby.admin_socket",
    "lobby.pages.pages",
    "lobby.server.service",
    "lobby.status",
    "net.api.local_api",
    "net.api.matches.hub",
    "net.node.home",
)
SOCKETS_FROM, MOST_FILES = 3, 4096  # file descriptors that no command begins with


def prepare():
    """Import what commands need. A reactor must not be among it: each process has to make its own."""
    for module in (*{place.partition(":")[0] for place, _ in entry.COMMANDS.values()}, *BESIDES):
        importlib.import_module(f"kontor_games.{module}")
    for game in engine.game_ids():
        engine.load(game)
    assert "twisted.internet.reactor" not in sys.modules
    gc.collect()
    gc.freeze()


def serve(orders):
    """Wait for orders; returns in the process that is to carry one out."""
    while True:
        head, files, _, _ = socket.recv_fds(orders, LENGTH.size, 3)
        if len(head) < LENGTH.size:
            sys.exit()  # nobody is there any more
        order = json.loads(received(orders, *LENGTH.unpack(head)))
        middle = os.fork()
        if middle == 0:
            number = os.fork()
            if number == 0:
                orders.close()
                return order, files
            orders.sendall(LENGTH.pack(number))
            os._exit(0)
        for each in files:
            os.close(each)
        os.waitpid(middle, 0)
        orders.sendall(b"!")  # from now on it is a child of whoever asked


def received(orders, length):
    """Exactly so many bytes."""
    data = b""
    while len(data) < length:
        data += orders.recv(length - len(data))
    return data


def become(order, files):
    """Take the place of a process that was started like this."""
    for number, each in enumerate(files):
        os.dup2(each, number)
    os.closerange(SOCKETS_FROM, MOST_FILES)
    if order["is_new_session"]:
        os.setsid()
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = order["words"]
    if order["warnings"]:
        sys.warnoptions = list(order["warnings"])
        for each in order["warnings"]:
            warnings.simplefilter(each)
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding)
    sys.stdout = sys.__stdout__ = written(1, encoding, "strict")
    sys.stderr = sys.__stderr__ = written(2, encoding, "backslashreplace")


def written(number, encoding, errors):
    """A standard stream, as Python makes it for a terminal or for a pipe."""
    raw = io.FileIO(number, "w", closefd=False)
    at_once = bool(os.environ.get("PYTHONUNBUFFERED"))
    is_line = at_once or os.isatty(number) or number == 2
    return io.TextIOWrapper(
        raw if at_once else io.BufferedWriter(raw),
        encoding,
        errors,
        line_buffering=is_line and not at_once,
        write_through=at_once,
    )


prepare()
order, files = serve(socket.socket(fileno=int(sys.argv[1])))
become(order, files)
if order["program"] == judge_process.__name__:
    judge_process.serve(judge_process.answer)
else:
    entry.main()
