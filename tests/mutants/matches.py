"""The matches that mutants are made of: all four games, up to five peers, all ways to leave, all kinds of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import engine
from net.sealed import bodies
from net.transcript import EntryRecord, Record
from tests.net.files import body_of, named_terms, packed, transcript
from tests.net.world import Node, World

NAMES = ("Anna", "Bruno", "Clara", "Dora", "Emil")


class Eager(World):
    """A world whose players take certain actions whenever they may, so that rare messages come up."""

    eager: tuple[str, ...] = ()

    def move_of(self, node: Node) -> bool:
        ledger = node.session.ledger
        if self.eager and ledger.turn is not None and ledger.state is not None:
            actions = engine.legal(ledger.game, ledger.state, ledger.known(ledger.turn))
            wanted = [action for action in actions if action.__struct_config__.tag in self.eager]
            if ledger.seat_peer(ledger.turn) == node.number and wanted and not node.session.why_not_play([wanted[0]]):
                self.perform(node, node.session.play([wanted[0]]))
                return True
        return super().move_of(node)


@dataclass(frozen=True)
class Plan:
    """A match to be played: who leaves how, after how many plies."""

    game: str
    peers: int
    options: tuple[tuple[str, Any], ...] = ()
    leaves: tuple[tuple[str, tuple[int, ...], int], ...] = ()  # how (bye, vote, late), who, after so many plies
    eager: tuple[str, ...] = ()
    teller: int = 0  # whose file it is
    needs: str = ""  # a rare kind of message that must be in it
    seeds: range = range(1)  # tried in turn until it is

    def play(self, tag: str) -> list[Record]:
        """The file of this match; another tag makes another match of the same people."""
        for seed in self.seeds:
            records = self._play(f"{tag}{seed}")
            if not self.needs or self.needs in kinds(records):
                return records
        raise AssertionError(f"no {self.needs} in {len(self.seeds)} matches")

    def _play(self, tag: str) -> list[Record]:
        terms = named_terms(self.game, NAMES[: self.peers], tag, **dict(self.options))
        world = Eager(terms, self.peers, f"mutants {self.game} {tag}")
        world.eager = self.eager
        world.begin()
        for how, who, plies in self.leaves:
            _leave(world, how, who, plies)
        world.play_on()
        return transcript(world, self.teller)


def kinds(records: Sequence[Record]) -> set[str]:
    """The types of all dealer messages in a file."""
    entries = [record for record in records if isinstance(record, EntryRecord)]
    return {bodies.kind(body_of(raw)) for record in entries for raw, _ in record.messages}


def _until(world: World, is_so: Callable[[World], bool]) -> None:
    for _ in range(200_000):
        if is_so(world):
            return
        world.step()
    raise AssertionError("it never came to that")


def _ledgers(world: World) -> list[Any]:
    return [node.session.ledger for node in world.nodes if node.alive]


def _leave(world: World, how: str, who: Sequence[int], plies: int) -> None:
    if how == "late":
        _until(world, lambda world: world.nodes[0].session.ledger.is_over)
    else:
        _until(world, lambda world: all(each.ply >= plies and each.turn is not None for each in _ledgers(world)))
    if how == "bye":
        for peer in who:
            world.perform(world.nodes[peer], world.nodes[peer].session.bye())
        _until(world, lambda world: all(not set(who) & set(each.active) for each in _ledgers(world)))
        for peer in who:
            world.crash(peer)
        return
    for peer in who:
        world.crash(peer)
    world.quiet()
    for node in world.nodes:
        if node.alive:
            world.perform(node, node.session.vote_gone(who))
    world.quiet()


SHORT = (("max_rounds", 2),)
MATCHES = {
    "hansa-3": Plan("hansa", 3, (*SHORT, ("missions", True))),
    "hansa-2-forfeit": Plan("hansa", 2, SHORT, (("bye", (1,), 5),)),
    "hansa-5-bye-and-votes": Plan("hansa", 5, SHORT, (("bye", (4,), 6), ("vote", (0,), 9)), teller=1),
    "hansa-5-two-voted-out": Plan("hansa", 5, SHORT, (("vote", (1, 3), 6),)),
    "hansa-3-late": Plan("hansa", 3, SHORT, (("late", (2,), 0),)),
    "joban-3-tasks": Plan(
        "joban", 3, (("reshuffle_task_discards", True),), eager=("tasks",), needs="rky", seeds=range(4, 80)
    ),
    "joban-2-forfeit": Plan("joban", 2, (), (("bye", (0,), 40),), teller=1),
    "joban-3-vote": Plan("joban", 3, (), (("vote", (2,), 40),)),
    "osaka-2": Plan("osaka", 2, (("tokens_to_end", 6),)),
    "osaka-2-forfeit": Plan("osaka", 2, (), (("bye", (0,), 20),), teller=1),
    "osaka-3-bye": Plan("osaka", 3, (("tokens_to_end", 6),), (("bye", (2,), 30),)),
    "yokohama-3": Plan("yokohama", 3, SHORT),
    "yokohama-4-vote": Plan("yokohama", 4, SHORT, (("vote", (0,), 12),), teller=1),
}


@dataclass(frozen=True)
class Match:
    """A complete match as a file, and the same people's next match."""

    name: str
    game: str
    records: tuple[Record, ...]
    twin: tuple[Record, ...]


@cache
def match_named(name: str) -> Match:
    """One of the matches, played now."""
    plan = MATCHES[name]
    return Match(name, plan.game, tuple(plan.play("s")), tuple(replace(plan, needs="").play("t")))


def matches(names: Sequence[str] | None = None) -> Iterator[Match]:
    """The matches with these names, or all."""
    yield from (match_named(name) for name in (MATCHES if names is None else names))


def originals(names: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
    """Name and file of each match, unchanged."""
    yield from ((match.name, packed(match.records)) for match in matches(names))
