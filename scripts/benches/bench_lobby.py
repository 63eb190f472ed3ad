"""The lobby's bench: everything beside bare Twisted servers in the same run, ratios per round.

`scripts/bench lobby [--only SECTION,…] [--rounds N] [--seconds S]` calls `run`; `SECTIONS` has their names.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import bench_rounds
from bench_lobby_servers import LOAD, ROOT, SERVER, RoleProcess, child, free_port, lobby_command, role, wait_for

REDIS = shutil.which("redis-server") or shutil.which("valkey-server")
ACTIVE = 300  # of the people in a busy lobby, those who do something
NO_REDIS = "notice: redis-server is missing; the rows of several processes are left out"

Found = dict[str, dict[str, Any]]  # one round: what each contender found
Measures = dict[str, Callable[[], dict[str, Any]]]


@contextlib.contextmanager
def server(kind: str) -> Iterator[tuple[RoleProcess, int]]:
    """The lobby (`lobby`, with its SQLite file), the bare line server (`line`) or the bare forwarder (`forwarder`)."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "lobby":
            command = lobby_command(Path(folder))
        else:
            command = role(SERVER, "line-server" if kind == "line" else "forwarder")
        with child(command, SERVER) as it:
            yield it, it.hear()["port"]


def memory(kind: str, count: int) -> dict[str, float]:
    """kB per idle connection and after broadcasts, 20 connections of warm-up dropped."""
    with server(kind) as (it, port), child(role(LOAD, "hold", kind, port)) as load:
        load.hear()
        load.tell("connect 20")
        before = it.rss()
        begun = time.perf_counter()
        load.tell(f"connect {count}")
        took = time.perf_counter() - begun
        time.sleep(1)
        idle = it.rss()
        load.tell("broadcast 10")
        time.sleep(1)
        return {
            "idle_kb": (idle - before) / count / 1000,
            "after_broadcasts_kb": (it.rss() - before) / count / 1000,
            "connects_per_second": count / took,
        }


def once(kind: str, name: str, *arguments: object) -> dict[str, Any]:
    """Start a server, let one load run against it, and return what the load found."""
    with server(kind) as (_, port):
        parts = [port if argument == "PORT" else argument for argument in arguments]
        with child(role(LOAD, name, *parts), patience=5) as load:
            found = load.hear()
            return load.hear() if "ready" in found else found


def busy(count: int, per_second: int, seconds: float) -> dict[str, Any]:
    """Many connections with tables, chat and presence changing: how long a command takes.

    Most only watch, from a process of their own: whoever measures must not wait for what others have to unpack.
    """
    with server("lobby") as (it, port), child(role(LOAD, "hold", "lobby", port)) as watchers:
        watchers.hear()
        watchers.tell(f"connect {max(0, count - ACTIVE)}")
        watchers.tell("watch 1")
        load_role = role(LOAD, "busy", port, min(count, ACTIVE), float(per_second), float(seconds))
        with child(load_role, patience=5) as load:
            load.hear()
            both = (it, load)
            begun, used, starved = time.perf_counter(), it.processor_seconds(), [one.starved_seconds() for one in both]
            found = load.hear()
            took = time.perf_counter() - begun
            waited = [(one.starved_seconds() - before) / took for one, before in zip(both, starved, strict=True)]
            return {
                **found,
                "server_core_share": round((it.processor_seconds() - used) / took, 2),
                "waited_for_a_core": {"server": round(waited[0], 2), "load": round(waited[1], 2)},
            }


@contextlib.contextmanager
def redis(folder: Path, core: str | None = SERVER) -> Iterator[tuple[RoleProcess, str]]:
    """A server that loses nothing, as docs/hosting.md asks for: what SQLite promises too."""
    assert REDIS is not None
    port = free_port()
    durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--dir", str(folder)]
    quiet = ["/bin/sh", "-c", 'exec "$@" >/dev/null 2>&1', "redis"]
    with child([*quiet, REDIS, "--port", str(port), "--bind", "127.0.0.1", *durable], core) as it:
        wait_for(port)
        yield it, f"redis://127.0.0.1:{port}/0"


@contextlib.contextmanager
def lobbies(store: str, number: int, core: str | None = SERVER) -> Iterator[tuple[list[RoleProcess], list[int]]]:
    """Everything whose time counts, Redis first, and the ports of the lobby processes; all on one core, or on any."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        counted: list[RoleProcess] = []
        flags: list[str] = []
        if store == "redis":
            server, url = stack.enter_context(redis(folder, core))
            counted.append(server)
            flags = ["--store", url]
        ports = []
        for which in range(number):
            named = ["--process", f"p{which}"] if store == "redis" else []
            it = stack.enter_context(child(lobby_command(folder, *flags, *named), core))
            ports.append(it.hear()["port"])
            counted.append(it)
        yield counted, ports


def cost(store: str, number: int, seconds: float, is_spread: bool = False) -> dict[str, Any]:
    """Microseconds of a processor per stored line of chat, of all lobby processes and of Redis together.

    Sixteen people write, all at the first process, or spread over all of them.
    """
    with lobbies(store, number) as (counted, ports), contextlib.ExitStack() as stack:
        where = ports if is_spread else ports[:1]
        roles = [role(LOAD, "stored", port, seconds, 16 // len(where)) for port in where]
        loads = [stack.enter_context(child(each, patience=5)) for each in roles]
        for load in loads:
            load.hear()  # all have signed in
        used = sum(it.processor_seconds() for it in counted)
        found = [load.hear() for load in loads]
        used = sum(it.processor_seconds() for it in counted) - used
        return {
            "us_per_command": used / max(1, sum(each["count"] for each in found)) * 1e6,
            "per_second": sum(each["per_second"] for each in found),
        }


def memory_of_several(number: int, count: int) -> dict[str, float]:
    """kB per idle signed-in connection of a lobby of so many processes on Redis."""
    with contextlib.ExitStack() as stack:
        counted, ports = stack.enter_context(lobbies("redis", number))
        servers = counted[1:]
        loads = [stack.enter_context(child(role(LOAD, "hold", "lobby", port))) for port in ports]
        for load in loads:
            load.hear()
            load.tell("connect 20")
        before = sum(it.rss() for it in servers)
        begun = time.perf_counter()
        for load in loads:
            load.tell(f"connect {count // number}")
        took = time.perf_counter() - begun
        time.sleep(3)  # some heartbeats
        return {
            "idle_kb": (sum(it.rss() for it in servers) - before) / count / 1000,
            "connects_per_second": count / took,
        }


def busy_of_several(number: int, count: int, per_second: int, seconds: float) -> dict[str, Any]:
    """As `busy`, on so many processes and beside niced loads; of these the slower p99 counts."""
    with contextlib.ExitStack() as stack:
        counted, ports = stack.enter_context(lobbies("redis", number, None))  # who needs two processes has two cores
        for port in ports:
            watchers = stack.enter_context(child(role(LOAD, "hold", "lobby", port)))
            watchers.hear()
            watchers.tell(f"connect {max(0, count - ACTIVE) // number}")
            watchers.tell("watch 1")
        roles = [role(LOAD, "busy", port, ACTIVE // number, per_second / number, float(seconds), 1) for port in ports]
        loads = [stack.enter_context(child(each, patience=5)) for each in roles]
        for load in loads:
            load.hear()
        begun, used = time.perf_counter(), [it.processor_seconds() for it in counted]
        starved = [it.starved_seconds() for it in counted]
        found = [load.hear() for load in loads]
        took = time.perf_counter() - begun
        shares = [(it.processor_seconds() - at) / took for it, at in zip(counted, used, strict=True)]
        waits = [(it.starved_seconds() - at) / took for it, at in zip(counted, starved, strict=True)]
        return {
            "p99_ms": max(each["p99_ms"] for each in found),
            "loads": found,
            "core_share": [round(each, 2) for each in shares],
            "waited_for_a_core": [round(each, 2) for each in waits],
        }


def mailbox_environment() -> Path | None:
    """A throw-away environment with magic-wormhole's mailbox server; None, with a notice, where pip cannot get it."""
    folder = Path(tempfile.gettempdir()) / "kontor-bench-mailbox"
    python = folder / "bin" / "python"
    if (folder / "bin" / "twist").exists() and (folder / "complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    made = subprocess.run([sys.executable, "-m", "venv", str(folder)], **quiet).returncode  # type: ignore[call-overload]
    package = [str(python), "-m", "pip", "install", "-q", "magic-wormhole-mailbox-server"]
    if made or subprocess.run(package, **quiet).returncode:  # type: ignore[call-overload]
        print("notice: magic-wormhole-mailbox-server cannot be installed here; that comparison is skipped")
        return None
    (folder / "complete").touch()
    return folder


def mailbox(folder: Path, seconds: float) -> dict[str, Any]:
    """Messages per second that the mailbox server stores and sends back."""
    port = free_port()
    with tempfile.TemporaryDirectory() as data:
        flags = [f"--port=tcp:{port}:interface=127.0.0.1", f"--channel-db={data}/channel.sqlite"]
        command = [str(folder / "bin" / "twist"), "--log-level=critical", "wormhole-mailbox", *flags]
        with child(command, SERVER):
            wait_for(port)
            client = [str(folder / "bin" / "python"), str(ROOT / "scripts" / "benches" / "bench_mailbox_client.py")]
            with child([*client, str(port), str(seconds)], LOAD, patience=5) as load:
                return load.hear()


def run(rounds: int, seconds: float, only: Sequence[str] = (), connections: int = 2000) -> dict[str, Any]:
    """The sections asked for, else all, as `scripts/bench` prints them; windows are at least two seconds."""
    if unknown := [name for name in only if name not in SECTIONS]:
        raise SystemExit(f"bench: the lobby's sections are {', '.join(SECTIONS)}; there is no {', '.join(unknown)}")
    report: dict[str, Any] = {"rows": [], "notes": []}
    for name, section in SECTIONS.items():
        if not only or name in only:
            rows, notes = section(rounds, max(2.0, seconds), connections)
            report["rows"] += rows
            report["notes"] += notes
    report["notes"].append(f"load average {os.getloadavg()}; while others are busy too, times mean little")
    return report


Rows = list[dict[str, Any]]


def _messages(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    measures = {kind: partial(once, kind, "pings", kind, "PORT", seconds) for kind in ("lobby", "line")}
    return [_row("small messages there and back, per second", rounds, measures, "per_second")], []


def _relay(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    size = 128 * 1024 * 1024
    measures = {kind: partial(once, kind, "pump", kind, "PORT", size) for kind in ("lobby", "forwarder")}
    return [_row("relay, MB/s", rounds, measures, "mb_per_second", ">= 0.8")], []


def _stored(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    """Each counts once it is durable; 16 clients on either side."""
    environment = mailbox_environment()
    measures: Measures = {"lobby": partial(once, "lobby", "stored", "PORT", seconds)}
    if environment is not None:
        measures["mailbox"] = partial(mailbox, environment, seconds)
    row = _row("stored messages, per second", rounds, measures, "per_second", ">= 5")
    where = tempfile.gettempdir()
    return [row], [f"a small write and fsync in {where} takes {fsync_ms(Path(where)):.2f} ms (median)"]


def _busy(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    crowds = [busy(connections, 200, 20.0) for _ in range(min(rounds, 3))]
    what = f"{connections} connections, tables, chat and presence changing"
    return [_p99_row(what, crowds)], [f"busy: {crowd}" for crowd in crowds]


def _p99_row(what: str, crowds: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "measure": f"p99 of a command in ms, {what}",
        "lobby": float(median(crowd["p99_ms"] for crowd in crowds)),
        "against": "-",
        "its figure": "-",
        "ratio": "-",
        "target": "<= 100 ms",
    }


def fsync_ms(folder: Path, times: int = 50) -> float:
    """What one durable write costs here: the mailbox server pays it for every message, a lobby for many at once."""
    took = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(times):
            begun = time.perf_counter()
            file.write(b"x" * 512)
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return median(took) * 1000


def _memory(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    found = _rounds(min(rounds, 3), {kind: partial(memory, kind, connections) for kind in ("lobby", "line")})
    rows = [
        _summary(f"kB per idle signed-in connection, {connections} of them", found, "idle_kb", "<= 1.25"),
        _summary("the same after broadcasts", found, "after_broadcasts_kb"),
        _summary("connections with handshake, per second", found, "connects_per_second"),
    ]
    return rows, []


def _redis(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    """The same store of chat lines on Redis and on SQLite, and what more processes cost."""
    if REDIS is None:
        return [], ["notice: there is no redis-server here; the rows of Redis are left out"]
    both = {"lobby": partial(cost, "redis", 1, seconds), "sqlite": partial(cost, "sqlite", 1, seconds)}
    found = _rounds(rounds, both)
    rows = [
        _summary("processor µs per stored command on Redis, Redis included", found, "us_per_command"),
        _summary("stored commands per second on Redis", found, "per_second"),
    ]
    notes = []
    for where, is_spread in (("at one of them", False), ("spread over them", True)):
        measures = {f"{number}": partial(cost, "redis", number, seconds, is_spread) for number in (1, 2, 3, 4)}
        grown = _rounds(min(rounds, 3), measures)
        figures = [{name: float(one[name]["us_per_command"]) for name in measures} for one in grown]
        middles = {name: median(one[name] for one in figures) for name in measures}
        rows.append(
            {
                "measure": f"the same with 4 processes, people {where}",
                "lobby": middles["4"],
                "against": "1 process",
                "its figure": middles["1"],
                "ratio": bench_rounds.ratio(figures, "4", "1"),
                "target": "",
            }
        )
        told = ", ".join(f"{middles[name]:.0f}" for name in measures)
        notes.append(f"1, 2, 3, 4 processes on Redis, people {where}: {told} µs per command in all")
    return rows, notes


def _idle(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    """Two processes on one Redis, and five times as many idle connections as elsewhere."""
    if REDIS is None:
        return [], [NO_REDIS]
    many = 5 * connections
    measures: Measures = {
        "lobby": partial(memory_of_several, 2, many),
        "line": partial(memory, "line", many // 2),
    }
    return [_row(f"kB per idle connection, {many} over two processes", 1, measures, "idle_kb", "<= 1.3")], []


def _several(rounds: int, seconds: float, connections: int) -> tuple[Rows, list[str]]:
    """The busy lobby, as two processes on one Redis."""
    if REDIS is None:
        return [], [NO_REDIS]
    crowds = [busy_of_several(2, connections, 200, 20.0) for _ in range(min(rounds, 3))]
    what = f"{connections} connections, 200 commands/s, two processes on Redis"
    return [_p99_row(what, crowds)], [f"two busy processes (Redis first): {crowd}" for crowd in crowds]


Section = Callable[[int, float, int], tuple[Rows, list[str]]]
SECTIONS: dict[str, Section] = {
    "memory": _memory,
    "messages": _messages,
    "relay": _relay,
    "stored": _stored,
    "redis": _redis,
    "idle": _idle,
    "several": _several,
    "busy": _busy,
}


def _row(what: str, rounds: int, measures: Measures, field: str, target: str = "") -> dict[str, Any]:
    return _summary(what, _rounds(rounds, measures), field, target)


def _rounds(rounds: int, measures: Measures) -> list[Found]:
    """Every contender once per round; who begins changes every round."""
    names = list(measures)
    found = []
    for number in range(rounds):
        order = names if number % 2 == 0 else names[::-1]
        found.append({name: measures[name]() for name in order})
    return found


def _summary(what: str, found: list[Found], field: str, target: str = "") -> dict[str, Any]:
    print(f"  {what}: {[{name: round(float(one[name][field]), 1) for name in one} for one in found]}", file=sys.stderr)
    other = next((name for name in found[0] if name != "lobby"), None)
    row: dict[str, Any] = {
        "measure": what,
        "lobby": float(median(one["lobby"][field] for one in found)),
        "against": "-",
        "its figure": "-",
        "ratio": "-",
        "target": target,
    }
    if other is not None:
        row["against"] = {"line": "bare mutual-TLS line server", "mailbox": "magic-wormhole mailbox"}.get(other, other)
        row["its figure"] = float(median(one[other][field] for one in found))
        rates = [{name: values[field] for name, values in one.items()} for one in found]
        row["ratio"] = bench_rounds.ratio(rates, "lobby", other)
    return row
