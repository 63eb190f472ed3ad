"""`kontor demo`: several nodes on this machine play a whole sealed match over TLS, then every file is verified."""

from __future__ import annotations

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
SHUFFLES_SHOWN = 3
CHANCE = -1  # to act
LOOK_SECONDS = 0.05  # between two looks at what no event tells
AGREE_SECONDS = 20.0
PATIENCE = 60.0  # seconds without any event after which something must be broken


@click.command()
@click.option("--game", default="yokohama", show_default=True, help="Which game they play.")
@click.option("--seats", type=click.IntRange(2, 5), default=4, show_default=True, help="How many nodes.")
@click.option(
    "--bot", default="greedy", show_default=True, help="Who plays: skilled, expert, novice, greedy or random."
)
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
        self._words = Words(game["id"], self._names)
        self._began = time.monotonic()
        self._result: Data | None = None
        self._match = ""
        self._signed = ""  # its six words
        self._shown = 0  # plies told in words
        self._hidden = 0
        self._shuffles = 0
        self._last = 0.0  # when the last link of the chain was seen
        self._links: list[Data] = []  # the chain, as the first node has it

    def play(self, bot: str) -> None:
        """The whole match; ends when every node has all final signatures."""
        number = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}[len(self._names)]
        self._terminal.wrapped(
            f"{number} nodes on this machine play {self._game['title']}. Each is a process of its own; they know each "
            "other by their keys and speak over TLS only. Nobody deals: the cards are sealed by all together.",
            indent="",
        )
        self._terminal.print()
        self._nodes.start(*self._names)
        table = self._gather(bot)
        for name in self._names:
            self._agree(name, table)
        self._listen()
        frames = sum(link["kind"] == "frame" for link in self._links)
        self._terminal.print()
        self._terminal.print(
            f"         {frames} turns and {len(self._links) - frames} acts of chance, all in one chain."
        )

    # ---- the table

    def _gather(self, bot: str) -> str:
        """The first node opens a table, the others come by its address; a bot sits down for each."""
        host = self._nodes[self._names[0]]
        wish = {"game": self._game["id"], "seats": len(self._names), "options": QUICK.get(self._game["id"], {})}
        table = str(host.post("tables", {**wish, "spectators": True})["id"])
        here = host.get(f"tables/{table}")
        where = {"address": here["addresses"][0], "fingerprint": here["fingerprint"]}
        self._say(f"{self._names[0]} opens a table at {where['address']}, fingerprint {where['fingerprint']}.")
        for seat, name in enumerate(self._names):
            if seat:
                self._nodes[name].post("join", where)
            self._nodes[name].post(f"tables/{table}/bot", {"seat": seat, "kind": bot, "name": name})
            if seat:
                self._say(f"{name} has joined and sits down.")
        return table

    def _agree(self, name: str, table: str) -> None:
        """Agree for this node once it sees that all sit."""
        until = time.monotonic() + AGREE_SECONDS
        while not all(seat["name"] for seat in self._nodes[name].get(f"tables/{table}")["seats"]):
            if time.monotonic() > until:
                raise self._nodes.Silent(f"{name} does not see who sits at the table")
            time.sleep(LOOK_SECONDS)
        self._nodes[name].post(f"tables/{table}/ready")

    # ---- the match

    def _listen(self) -> None:
        """Tell what happens until every node has the whole match."""
        done: set[str] = set()
        heard = time.monotonic()
        while len(done) < len(self._names):
            try:
                name, event = self._nodes.next(LOOK_SECONDS)
            except self._nodes.Silent:
                if time.monotonic() - heard > PATIENCE:
                    raise
                self._look()
                continue
            heard = time.monotonic()
            if event["kind"] == "exit":
                raise self._nodes.Silent(f"the node of {name} ended with code {event['code']}")
            if event["kind"] == "match" and event["status"] in ("over", "stopped") and self._is_complete(name, event):
                done.add(name)
            if name == self._names[0]:
                self._tell(event)
        self._look()
        self._say("Every node has the final signatures of all.")

    def _is_complete(self, name: str, event: Data) -> bool:
        state = self._nodes[name].get(f"matches/{event['id']}?seat=none")
        if state["faults"] or state["status"] == "stopped":
            raise self._nodes.Silent(f"{name} reports: {'; '.join(state['faults']) or 'the match is stopped'}")
        return bool(state["complete"])

    def _say(self, text: str) -> None:
        self._terminal.wrapped(f"{time.monotonic() - self._began:6.1f} s  {text}", indent=" " * 10)

    def _tell(self, event: Data) -> None:
        """What the first node sees."""
        if event["kind"] == "table" and "signed" in event:
            self._signed = " ".join(event["words"])
        elif event["kind"] == "table" and "started" in event:
            self._match = event["started"]
            self._last = time.monotonic()
            self._say(f"All have signed the same terms. The match in six words: {self._signed}.")
        elif event["kind"] == "match":
            if event["to_act"] == CHANCE or any(line["seat"] is None for line in event["lines"]):
                self._look()
            for line in event["lines"]:
                self._ply(line)
            if event["status"] == "over" and self._result is None:
                self._over()

    def _over(self) -> None:
        if self._hidden:
            self._say(f"… {self._hidden} more plies …")
        self._say("The game is over.")
        self._result = self._nodes[self._names[0]].get(f"matches/{self._match}?seat=none")["result"]

    def _look(self) -> None:
        """Ask the first node what has come to the chain."""
        if self._match:
            asked = f"matches/{self._match}/chain?from={len(self._links)}"
            for link in self._nodes[self._names[0]].get(asked)["links"]:
                self._links.append(link)
                if link["kind"] == "entry":
                    self._entry(link)

    def _entry(self, link: Data) -> None:
        now = time.monotonic()
        took, self._last = now - self._last, now
        parts = link["parts"]
        if "key" in parts:
            self._say(f"Keys: every node makes a deck key for this match and proves that it has it ({took:.1f} s).")
        elif "esc" in parts:
            self._say(
                "Escrow: every node splits its key among the others, sealed for each, so that a majority "
                f"could go on without it; all shares are checked ({took:.1f} s)."
            )
        elif parts[0] == "mix" and len(parts) > 1:
            self._shuffles += 1
            if self._shuffles <= SHUFFLES_SHOWN:
                self._say(
                    f"Shuffle: {link['cards']} cards, shuffled and sealed by {len(parts)} nodes in turn, each with a "
                    f"proof that no card was added, changed or lost ({took:.1f} s, {link['bytes'] // 1024} kB)."
                )
        elif "opn" in parts:
            self._say("All open their deck keys, so that everything hidden can be checked now.")

    def _ply(self, line: Data) -> None:
        if line["seat"] is None:
            return
        if self._shown >= MOVES_SHOWN:
            self._hidden += 1
            return
        self._shown += 1
        self._say(f"{self._words.player(line['seat'])}: {line['text']}  {line['say']}")

    def verify(self, services: Services) -> bool:
        """Check every node's file from nothing but its bytes, and compare them."""
        if self._result:
            self._terminal.print()
            print_result(self._terminal, self._words, self._names, self._result)
        files = [path for name in self._names for path in sorted((self._nodes.home(name) / "matches").glob("*.kontor"))]
        self._terminal.print()
        self._terminal.print(f"Verifying the {len(files)} files: signatures, proofs, rules, digests, result …")
        began = time.monotonic()
        archive = services.archive([str(path) for path in files])
        reports = list(archive.verify())
        archive.close()
        for name, report in zip(self._names, reports, strict=False):
            print_report(self._terminal, {**report, "path": f"{name}'s file", "copy_of": ""})
        chains = {(report["match"], report["tip"], report["plies"]) for report in reports}
        took = time.monotonic() - began
        same = len(chains) == 1 and len(files) == len(self._names)
        self._terminal.print(
            f"{'All chains are identical' if same else 'THE CHAINS DIFFER'}; checked in {took:.1f} s on all cores."
        )
        return same and all(r["code"] == 0 and r["sealed"] and r["finished"] and not r["notes"] for r in reports)
