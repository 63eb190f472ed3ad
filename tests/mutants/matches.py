"""The matches that mutants are made of: all four games, up to five peers, all ways to leave, all kinds of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace as changed

from kontor_games import engine
from kontor_games.engine.games.joban.actions import Play, TaskDraw
from kontor_games.engine.games.joban.data import SHOP_CARDS
from kontor_games.engine.games.yokohama.actions import OpenOrder
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.transcript import EntryRecord, FrameRecord, Record
from kontor_games.net.sealed import bodies
from kontor_games.net.sealed.tasks import MixPlan
from kontor_games.net.wire.messages import DAY, Ladder, Pace
from kontor_games.net.wire.terms import decode_terms, encode_terms
from tests.worlds.match_files import body_of, frame_of, packed, transcript
from tests.worlds.world import Node, World, identity, make_terms

NAMES = ("Anna", "Bruno", "Clara", "Dora", "Emil")
WITH_BONUS = 1  # the half of a card in Jōban that brings its bonus
CHANGE_TASK = 3  # one of these bonuses
TRIES = 40  # matches that are played until something rare happens


class Eager(World):
    """A world whose players take what they like best whenever they may, so that rare messages come up."""

    likes: Callable[[engine.Action], int] | None = None

    def move_of(self, node: Node) -> bool:
        ledger = node.session.ledger
        turn = ledger.turn
        if self.likes and turn is not None and ledger.state is not None and ledger.seat_peer(turn) == node.number:
            best = max(engine.legal(ledger.game, ledger.state, ledger.known(turn)), key=self.likes)
            if self.likes(best) and not node.session.why_not_play([best]):
                self.perform(node, node.session.play([best]))
                return True
        return super().move_of(node)


def _changing_tasks(action: engine.Action) -> int:
    """Jōban: change tasks as often as one can, until the discarded ones are handed back for a new pile."""
    if isinstance(action, Play) and action.mode == WITH_BONUS:
        return int(SHOP_CARDS[action.card].bonus == CHANGE_TASK)
    return 2 * isinstance(action, TaskDraw)


def _opening_orders(action: engine.Action) -> int:
    """Yokohama: deliver the hidden order of the start as soon as one can."""
    return int(isinstance(action, OpenOrder))


@dataclass(frozen=True)
class Plan:
    """A match to be played: who leaves how, after how many plies."""

    game: str
    peers: int
    options: tuple[tuple[str, Any], ...] = ()
    leaves: tuple[tuple[str, tuple[int, ...], int], ...] = ()  # how (see `_leave`), who, after so many plies
    seats: tuple[int, ...] = ()  # peer of each seat; one each if it is empty
    clauses: tuple[tuple[str, Any], ...] = ()  # fields that terms have since version 2
    likes: Callable[[engine.Action], int] | None = None
    teller: int = 0  # whose file it is
    stops: int = 0  # after so many plies the file stops; 0: at the end of the match
    needs: str = ""  # a rare kind of message or action that must be in it
    rules: int | None = None  # the version that it is played by; None: the newest

    def play(self, tag: str) -> list[Record]:
        """The file of this match; another tag makes another match of the same people."""
        for number in range(TRIES):
            records = self._play(f"{tag}{number}")
            if not self.needs or self.needs in kinds(records) | actions(records):
                return records
        raise AssertionError(f"no {self.needs} in {TRIES} matches")

    def _play(self, tag: str) -> list[Record]:
        world = Eager(self._terms(tag), self.peers, f"mutants {self.game} {tag}")
        world.likes = self.likes
        world.begin()
        for how, who, plies in self.leaves:
            _leave(world, how, who, plies)
        if self.stops:
            _until(world, lambda world: all(each.ply >= self.stops for each in _ledgers(world)))
        else:
            world.play_on()
        return transcript(world, self.teller)

    def _terms(self, tag: str) -> bytes:
        terms = decode_terms(
            make_terms(self.game, self.peers, self.seats or None, rules=self.rules, **dict(self.options))
        )
        seats = tuple(changed(seat, name=name) for seat, name in zip(terms.seats, NAMES, strict=False))
        peers = tuple(changed(peer, nonce=(tag.encode() + peer.nonce)[:16]) for peer in terms.peers)
        version = 2 if self.clauses else 1
        return encode_terms(changed(terms, version=version, seats=seats, peers=peers, **dict(self.clauses)))


def kinds(records: Sequence[Record]) -> set[str]:
    """The types of all dealer messages in a file."""
    entries = [record for record in records if isinstance(record, EntryRecord)]
    return {bodies.kind(body_of(raw)) for record in entries for raw, _ in record.messages}


def actions(records: Sequence[Record]) -> set[str]:
    """The kinds of actions that somebody took in a file."""
    frames = [frame_of(record) for record in records if isinstance(record, FrameRecord)]
    return {msgspec.msgpack.decode(action)[0] for frame in frames for action in frame.a}


def _until(world: World, is_so: Callable[[World], bool]) -> None:
    for _ in range(200_000):
        if is_so(world):
            return
        world.step()
    raise AssertionError("it never came to that")


def _ledgers(world: World) -> list[Ledger]:
    return [node.session.ledger for node in world.nodes if node.alive]


def _leave(world: World, how: str, who: tuple[int, ...], plies: int) -> None:
    """Peers leave: at a turn (bye, vote), after their part of a shuffle (midst), or after the end (late)."""
    if how == "late":
        _until(world, lambda world: world.nodes[0].session.ledger.is_over)
    elif how == "midst":
        _until(world, lambda world: _is_midst(_ledgers(world), who, plies))
    else:
        _until(world, lambda world: all(each.ply >= plies and each.turn is not None for each in _ledgers(world)))
    if how == "bye":
        _say_goodbye(world, who)
        return
    for peer in who:
        world.crash(peer)
    if how == "midst":
        world.flying.clear()  # else the shuffle would be complete before anybody hears of a vote
    else:
        world.quiet()
    for node in world.nodes:
        if node.alive:
            world.perform(node, node.session.vote_gone(who))
    world.quiet()


def _is_midst(ledgers: Sequence[Ledger], who: tuple[int, ...], plies: int) -> bool:
    """Whether all stand at one open shuffle, and everybody has taken what these peers sent for it."""
    others = [ledger for ledger in ledgers if ledger.me not in who]
    tasks = [ledger.table.task for ledger in others]
    is_done = all(
        task is not None and isinstance(task.plan, MixPlan) and {("mix", peer) for peer in who} <= task.got.keys()
        for task in tasks
    )
    return is_done and len({ledger.tip for ledger in ledgers}) == 1 and others[0].ply >= plies


def _say_goodbye(world: World, who: Sequence[int]) -> None:
    for peer in who:
        world.perform(world.nodes[peer], world.nodes[peer].session.bye())
    _until(world, lambda world: all(not set(who) & set(each.active) for each in _ledgers(world)))
    for peer in who:
        world.crash(peer)


SHORT = (("max_rounds", 2),)
RATED = (("grace", 600), ("rated", Ladder("spring", identity(7).key)), ("pace", Pace("days", 3 * DAY)))
PACE = (("pace", Pace("live", 60)),)
GUESTS = (("grace", 60), ("guests", (1,)), ("pace", Pace("live", 90)))
MATCHES = {
    "hansa-3": Plan("hansa", 3, (*SHORT, ("missions", True))),
    "hansa-2-forfeit": Plan("hansa", 2, SHORT, (("bye", (1,), 5),)),
    "hansa-5-bye-and-votes": Plan("hansa", 5, SHORT, (("bye", (4,), 6), ("vote", (0,), 9)), teller=1),
    "hansa-5-two-voted-out": Plan("hansa", 5, SHORT, (("vote", (1, 3), 6),), clauses=RATED),
    "hansa-3-late": Plan("hansa", 3, SHORT, (("late", (2,), 0),), seats=(0, 0, 1, 2), clauses=GUESTS),
    "hansa-3-midst": Plan("hansa", 3, SHORT, (("midst", (0,), 0),), clauses=PACE, teller=1),
    "joban-4-tasks": Plan("joban", 4, (("reshuffle_task_discards", True),), likes=_changing_tasks, needs="rky"),
    "joban-2-forfeit": Plan("joban", 2, (), (("bye", (0,), 40),), teller=1),
    "joban-3-vote": Plan("joban", 3, (), (("midst", (0,), 0),), teller=1),
    "osaka-2": Plan("osaka", 2, (("tokens_to_end", 6),)),
    "osaka-2-forfeit": Plan("osaka", 2, (), (("bye", (0,), 20),), teller=1),
    "osaka-3-bye": Plan("osaka", 3, (("tokens_to_end", 6),), (("bye", (2,), 30),)),
    "osaka-3-unfinished": Plan("osaka", 3, (), (("vote", (1,), 12),), stops=20),
    "yokohama-3": Plan("yokohama", 3, (("max_rounds", 8),), likes=_opening_orders, needs="open"),
    "yokohama-4-bye-and-vote": Plan("yokohama", 4, SHORT, (("bye", (3,), 8), ("vote", (0,), 14)), teller=1),
}


@dataclass(frozen=True)
class Match:
    """A match as a file, and the same people's next match."""

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
