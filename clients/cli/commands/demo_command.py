"""`kontor demo`: several nodes on this machine play a whole sealed match over TLS, then every file is verified."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from kontor_games.clients.cli.without_node import Nodes, Services
from kontor_games.clients.text.phrases import Words
from kontor_games.clients.text.sheet import print_result
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data

from .verify_command import print_report

NAMES = ("Anna", "Bruno", "Clara", "David", "Elsa")
QUICK: dict[str, dict[str, Any]] = {  # options that let bots come to an end soon
    "hansa": {"max_rounds": 12},
    "osaka": {"tokens_to_end": 6},
    "yokohama": {"max_rounds": 5},
}
MOVES_SHOWN = 8


@click.command()
@click.option("--game", default="yokohama", show_default=True, help="Which game they play.")
@click.option("--seats", type=click.IntRange(2, 5), default=4, show_default=True, help="How many nodes.")
@click.option("--bot", default="greedy", show_default=True, help="Who plays: greedy or random.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep all files in this directory.")
@click.pass_obj
def command(services: Services, game: str, seats: int, bot: str, keep: Path | None) -> None:
    """Watch nodes play a whole match with sealed cards, and verify what remains."""
    terminal = Terminal()
    record = next((known for known in services.games() if known["id"] == game), None)
    if record is None or seats not in record["seats"]:
        raise click.UsageError(f"there is no game {game!r} for {seats}; see kontor games")
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kontor-demo-")))
        if keep and keep.exists() and any(keep.iterdir()):
            raise click.UsageError(f"{keep} is not empty")
        nodes = services.nodes(folder)
        stack.callback(nodes.stop)
        try:
            demo = Demo(terminal, nodes, record, seats)
            demo.play(bot)
            nodes.stop()
            good = demo.verify(services)
        except KeyboardInterrupt:
            terminal.print("\nStopped.")
            sys.exit(130)
        except nodes.Silent as error:
            terminal.print(f"The demonstration failed: {error}")
            sys.exit(1)
        if keep:
            terminal.print(f"The files are in {keep}.")
        terminal.print()
        terminal.print(terminal.paint("verified", "bold green") if good else terminal.paint("NOT verified", "bold red"))
        sys.exit(0 if good else 1)


class Demo:
    """One match, told as it happens."""

    def __init__(self, terminal: Terminal, nodes: Nodes, game: Data, seats: int) -> None:
        self._terminal = terminal
        self._nodes = nodes
        self._game = game
        self._names = list(NAMES[:seats])
        self._at_seats: list[str] = []  # in the order in which they sat down
        self._words = Words(game["id"], [])
        self._result: Data | None = None
        self._seen = 0  # seats taken
        self._shown = 0  # plies told in words
        self._hidden = 0
        self._shuffles = 0
        self._last = 0.0
        self._frames = 0
        self._entries = 0

    def play(self, bot: str) -> None:
        """The whole match; ends when every node has all final signatures."""
        host, *guests = self._names
        number = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}[len(self._names)]
        self._terminal.wrapped(
            f"{number} nodes on this machine play {self._game['title']}. Each is a process of its own; they know each "
            "other by their keys and speak over TLS only. Nobody deals: the cards are sealed by all together.",
            indent="",
        )
        self._terminal.print()
        options = json.dumps(QUICK.get(self._game["id"], {}))
        common = ["--bot", bot]
        seats = str(len(self._names))
        self._nodes.start(host, [*common, "--host", self._game["id"], "--seats", seats, "--options", options])
        done: set[str] = set()
        while len(done) < len(self._names):
            at, name, news = self._nodes.next()
            if news["news"] == "exit":
                raise self._nodes.Silent(f"the node of {name} ended with code {news['code']}")
            if news["news"] in ("fault", "diverged", "error"):
                raise self._nodes.Silent(f"{name} reports: {news}")
            if news["news"] == "completed":
                done.add(name)
            if name == host:
                if news["news"] == "ready":
                    mark = ["--join", news["address"], "--mark", news["fingerprint"]]
                    for guest in guests:
                        self._nodes.start(guest, [*common, *mark])
                self._tell(at, news)
        self._terminal.print()
        self._terminal.print(f"         {self._frames} turns and {self._entries} acts of chance, all in one chain.")

    def _say(self, at: float, text: str) -> None:
        self._terminal.wrapped(f"{at:6.1f} s  {text}", indent=" " * 10)

    def _tell(self, at: float, news: Data) -> None:
        match news["news"]:
            case "ready":
                self._say(
                    at, f"{self._names[0]} opens a table at {news['address']}, fingerprint {news['fingerprint']}."
                )
            case "table":
                seated = [seat for seat in news["seats"] if seat]
                self._at_seats = [seat["name"] for seat in seated]
                self._words = Words(self._game["id"], self._at_seats)
                if news["phase"] == "open" and len(seated) > self._seen:
                    self._seen = len(seated)
                    if self._seen > 1:
                        self._say(at, f"{seated[-1]['name']} has joined and sits down.")
            case "begun":
                self._last = at
                self._say(at, f"All have signed the same terms. The match in six words: {news['words']}.")
            case "link":
                self._link(at, news)
            case "ply":
                self._ply(at, news)
            case "ended":
                if self._hidden:
                    self._say(at, f"… {self._hidden} more plies …")
                self._say(at, "The game is over.")
                self._result = news["result"]
            case "completed":
                self._say(at, "Every node has the final signatures of all.")

    def _link(self, at: float, news: Data) -> None:
        took, self._last = at - self._last, at
        if news["kind"] == "frame":
            self._frames += 1
            return
        self._entries += 1
        parts = news["parts"]
        if "key" in parts:
            self._say(at, f"Keys: every node makes a deck key for this match and proves that it has it ({took:.1f} s).")
        elif "esc" in parts:
            self._say(
                at,
                "Escrow: every node splits its key among the others, sealed for each, so that a majority "
                f"could go on without it; all shares are checked ({took:.1f} s).",
            )
        elif parts[0] == "mix" and len(parts) > 1:
            self._shuffles += 1
            if self._shuffles <= 3:
                self._say(
                    at,
                    f"Shuffle: {news['cards']} cards, shuffled and sealed by {len(parts)} nodes in turn, each with a "
                    f"proof that no card was added, changed or lost ({took:.1f} s, {news['bytes'] // 1024} kB).",
                )
        elif "opn" in parts:
            self._say(at, "All open their deck keys, so that everything hidden can be checked now.")

    def _ply(self, at: float, news: Data) -> None:
        facts = " ".join(self._words.event(event) for event in news["events"])
        if news["seat"] is None:
            return
        if self._shown >= MOVES_SHOWN:
            self._hidden += 1
            return
        self._shown += 1
        self._say(at, f"{self._words.player(news['seat'])}: {news['text']}  {facts}")

    def verify(self, services: Services) -> bool:
        """Check every node's file from nothing but its bytes, and compare them."""
        if self._result:
            self._terminal.print()
            print_result(self._terminal, self._words, self._at_seats, self._result)
        files = [path for name in self._names for path in sorted((self._nodes.home(name) / "matches").glob("*.kontor"))]
        self._terminal.print()
        self._terminal.print(f"Verifying the {len(files)} files: signatures, proofs, rules, digests, result …")
        began = time.monotonic()
        reports = list(services.verify_many([str(path) for path in files], None))
        for name, report in zip(self._names, reports, strict=False):
            print_report(self._terminal, {**report, "path": f"{name}'s file", "copy_of": ""})
        chains = {(report["match"], report["tip"], report["plies"]) for report in reports}
        took = time.monotonic() - began
        same = len(chains) == 1 and len(files) == len(self._names)
        self._terminal.print(
            f"{'All chains are identical' if same else 'THE CHAINS DIFFER'}; checked in {took:.1f} s on all cores."
        )
        return same and all(r["code"] == 0 and r["sealed"] and r["finished"] and not r["notes"] for r in reports)
