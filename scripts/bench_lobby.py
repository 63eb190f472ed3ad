"""The lobby's bench: everything beside bare Twisted servers in the same run, ratios per round.

`scripts/bench lobby [--only memory,messages,relay,stored,busy] [--rounds N] [--seconds S]` calls `run`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
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

ROOT = Path(__file__).parents[1]
ROLES = ROOT / "scripts" / "bench_lobby_roles.py"
SERVER, LOAD = "0", "1"  # cores
ACTIVE = 300  # of the people in a busy lobby, those who do something
FREE = "{per_second = 1e8, burst = 1e8}"
SETTINGS = (
    "[limits]\n"
    + "".join(
        f"{kind} = {FREE}\n"
        for kind in (
            "arrivals",
            "handshakes",
            "messages",
            "bytes",
            "chat",
            "tables",
            "names",
            "lists",
            "relays",
        )
    )
    + "max_unsigned = 10000\nmax_connections = 20000\nping_every = 120\n"
    + "[relay]\nbytes_per_second = 1e9\nbytes_burst = 1e9\nbytes_per_day = 1000000000\ntotal_bytes_per_second = 1e9\n"
)


Found = dict[str, dict[str, Any]]  # one round: what each contender found
Measures = dict[str, Callable[[], dict[str, Any]]]


class Child:
    """A process that speaks JSON lines."""

    def __init__(self, command: list[str], core: str | None = None) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, preexec_fn=_pin(core)
        )

    def hear(self) -> dict[str, Any]:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError(f"{self.process.args} ended")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def tell(self, line: str) -> dict[str, Any]:
        self.process.stdin.write(line + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        return self.hear()

    def rss(self) -> int:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def starved_seconds(self) -> float:
        """How long it was ready to run while others had the processors; much of it makes a latency worthless."""
        with contextlib.suppress(OSError):
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9
        return 0.0

    def stop(self, patience: float = 0.0) -> None:
        """End it; a load that has told its result ends by itself within its patience."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()  # type: ignore[union-attr]


def _pin(core: str | None) -> Callable[[], None] | None:
    if core is None or not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) < 2:
        return None
    return lambda: os.sched_setaffinity(0, {int(core)})


@contextlib.contextmanager
def child(command: list[str], core: str | None = None, patience: float = 0.0) -> Iterator[Child]:
    it = Child(command, core)
    try:
        yield it
    finally:
        it.stop(patience)


def role(core: str, name: str, *arguments: object) -> list[str]:
    return [sys.executable, str(ROLES), core, name, *map(str, arguments)]


@contextlib.contextmanager
def server(kind: str) -> Iterator[tuple[Child, int]]:
    """The lobby (`lobby`, with its SQLite file), the bare line server (`line`) or the bare forwarder (`forwarder`)."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "lobby":
            (Path(folder) / "lobby.toml").write_text(SETTINGS)
            start = "import sys; from kontor_games.clients.entry import main; sys.exit(main())"
            flags = ["--config", f"{folder}/lobby.toml", "--data", f"{folder}/data", "--metrics", ""]
            command = [sys.executable, "-c", start, "lobby", "--listen", "127.0.0.1:0", *flags]
            command = ["/bin/sh", "-c", 'exec "$@" 2>/dev/null', "lobby", *command]
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
            return load.hear()


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
    port = _free_port()
    with tempfile.TemporaryDirectory() as data:
        flags = [f"--port=tcp:{port}:interface=127.0.0.1", f"--channel-db={data}/channel.sqlite"]
        command = [str(folder / "bin" / "twist"), "--log-level=critical", "wormhole-mailbox", *flags]
        with child(command, SERVER):
            _wait_for(port)
            client = [str(folder / "bin" / "python"), str(ROOT / "scripts" / "bench_mailbox_client.py")]
            with child([*client, str(port), str(seconds)], LOAD, patience=5) as load:
                return load.hear()


def _free_port() -> int:
    import socket

    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    import socket

    for _ in range(200):
        with socket.socket() as it:
            if it.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")


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
    row = {
        "measure": f"p99 of a command in ms, {connections} connections, tables, chat and presence changing",
        "lobby": float(median(crowd["p99_ms"] for crowd in crowds)),
        "against": "-",
        "its figure": "-",
        "ratio": "-",
        "target": "<= 100 ms",
    }
    return [row], [f"busy: {crowd}" for crowd in crowds]


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


Section = Callable[[int, float, int], tuple[Rows, list[str]]]
SECTIONS: dict[str, Section] = {
    "memory": _memory,
    "messages": _messages,
    "relay": _relay,
    "stored": _stored,
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
