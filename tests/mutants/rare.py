"""Matches in which rare things happen: people leave at any moment in any way, seats share a node, turns are long.

A match follows from its number alone. What is rare in its file is found by `features`, so that a search can choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.chain_records import item_of
from kontor_games.net.record.transcript import EndRecord, Placed, Record
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.messages import Pace
from kontor_games.net.wire.terms import decode_terms, encode_terms
from tests.net.lockstep.test_session_cheats import lied
from tests.worlds.match_files import body_of, frame_of, transcript
from tests.worlds.world import Node, World, make_terms

TABLES: tuple[tuple[str, tuple[int, ...], dict[str, Any]], ...] = (  # game, peer of each seat, options
    ("joban", (0, 1), {}),
    ("joban", (0, 1, 0), {}),
    ("joban", (0, 1, 2), {}),
    ("joban", (0, 1, 2, 3), {}),
    ("hansa", (0, 1, 2), {"max_rounds": 2, "missions": True}),
    ("hansa", (0, 1, 2, 1, 0), {"max_rounds": 2}),
    ("hansa", (0, 1, 2, 3, 4), {"max_rounds": 2}),
    ("osaka", (0, 1), {"tokens_to_end": 6}),
    ("osaka", (0, 1, 2), {"tokens_to_end": 6}),
    ("yokohama", (0, 1, 2), {"max_rounds": 2}),
    ("yokohama", (0, 1, 2, 3), {"max_rounds": 2}),
)


class Talkative(World):
    """A world whose players send two actions in one frame where they may."""

    def move_of(self, node: Node) -> bool:
        ledger = node.session.ledger
        seat = ledger.turn
        if seat is not None and ledger.seat_peer(seat) == node.number and ledger.state is not None:
            first = self._choice(ledger, ledger.state, seat)
            after, _ = engine.advance(ledger.game, ledger.state, first)
            if engine.to_act(ledger.game, after) == seat:
                actions = [first, self._choice(ledger, after, seat)]
                if node.session.why_not_play(actions) is None:
                    self.perform(node, node.session.play(actions))
                    return True
        return super().move_of(node)

    def _choice(self, ledger: Ledger, state: engine.GameState, seat: int) -> engine.Action:
        actions = engine.legal(ledger.game, state, ledger.known(seat))
        return actions[self.rng.below(len(actions))]


def rare(number: int) -> list[Record]:
    """The file of match `number`."""
    chance = Stream("rare", str(number))
    if number % 10 == 9:  # somebody tells two stories, and the votes name both
        world = lied(str(number), ("mix", "shr")[chance.below(2)], chance.below(3) > 0, stays=bool(chance.below(2)))
        world.play_on(moves=chance.below(20))
        return transcript(world, 0)
    world = _begun(number, chance)
    for _ in range(chance.below(4) and 1 + chance.below(2)):
        _let_happen(world, chance.below(60) * (1 + 4 * chance.below(2)))
        _leave(world, chance)
    if chance.below(6) == 0:  # after the end too
        world.play_on()
        return transcript(world, _teller(world, chance))
    if chance.below(5) == 0:
        _until_over(world)
        _leave(world, chance)
    world.play_on(moves=(0, 3, 30, 100_000)[chance.below(4)], ticks=12)
    return transcript(world, _teller(world, chance), finals=chance.below(4) > 0)


def _begun(number: int, chance: Stream) -> World:
    game, seats, options = TABLES[chance.below(len(TABLES))]
    peers = max(seats) + 1
    recovery = "none" if chance.below(6) == 0 else "majority"
    terms = decode_terms(make_terms(game, peers, seats, recovery, **options))
    if chance.below(2):
        terms = replace(terms, version=2, pace=Pace("live", 60), guests=(1,) if len(seats) > peers else None)
    names = tuple(
        replace(seat, name=name) for seat, name in zip(terms.seats, ("Anna", "Bo", "Cy", "Di", "Ed"), strict=False)
    )
    nonces = tuple(replace(peer, nonce=number.to_bytes(8, "big") + peer.nonce[:8]) for peer in terms.peers)
    raw = encode_terms(replace(terms, seats=names, peers=nonces))
    world = (Talkative if chance.below(2) else World)(raw, peers, f"rare {number}")
    world.begin()
    return world


def _let_happen(world: World, steps: int) -> None:
    for _ in range(steps):
        world.step()


def _until_over(world: World) -> None:
    for _ in range(20_000):
        if any(node.alive and node.session.ledger.is_over for node in world.nodes):
            return
        world.step()


def _leave(world: World, chance: Stream) -> None:
    """Somebody leaves: in order, or the others vote; perhaps two at once."""
    here = [node for node in world.nodes if node.alive and node.number in node.session.ledger.active]
    count = 2 if len(here) > 3 and chance.below(3) == 0 else 1
    leavers = [here.pop(chance.below(len(here))) for _ in range(min(count, len(here)))]
    in_order = chance.below(2) == 0
    for node in leavers:
        if in_order:
            try:
                world.perform(node, node.session.bye())
            except IllegalAction:  # nothing to leave yet
                return
        else:
            world.crash(node.number)
    if in_order:
        return
    if chance.below(2):
        world.quiet()
    for node in here:
        try:
            world.perform(node, node.session.vote_gone({leaver.number for leaver in leavers}))
        except IllegalAction:  # too few, or the terms do not allow it
            return


def _teller(world: World, chance: Stream) -> int:
    alive = [node.number for node in world.nodes if node.alive]
    return alive[chance.below(len(alive))] if alive else 0


def features(records: Sequence[Record]) -> set[str]:
    """What is rare in this file."""
    ledger = Ledger(records[0].raw, inline=True)  # type: ignore[union-attr]
    found = {f"version {ledger.terms.version}"}
    if len(ledger.terms.seats) > len(ledger.terms.peers):
        found.add("several seats for one peer")
    leavings = 0
    for number, record in enumerate(records[1:], 1):
        if isinstance(record, EndRecord):
            found.add(f"end: {ledger.how_ended}")
            break
        item = item_of(Placed(number, 0, record), ledger)
        kinds = {bodies.kind(body_of(part.raw)) for part in item.parts if part.kind == "dealer"}
        if item.kind == "frame" and len(frame_of(record).a) > 1:
            found.add("several actions in a frame")
        found |= kinds & {"rky"}
        leaving = next(iter(kinds & {"bye", "gon"}), None)
        if leaving:
            leavings += 1
            found |= set(_leaving(ledger, leaving, item.parts, leavings))
        ledger.take_item(item, trusted=True)
        if leaving and ledger.entries.position.parked is not None and not ledger.entries.position.parked.h:
            found.add(f"{leaving}: the entry starts again")
    if len(ledger.chain.tips) > len(ledger.items) + 1:
        found.add("an entry closes by itself")
    return found


def _leaving(ledger: Ledger, kind: str, parts: Sequence[Any], number: int) -> Iterator[str]:
    task = ledger.table.task
    place = "a turn" if task is None else task.kind
    if task is not None and task.want is not None:
        place = "roll 0" if ledger.state is None else type(task.want).__name__.lower()
    yield f"{kind} during {place}"
    if ledger.entries.position.parked is not None:
        yield f"{kind} while an entry waits behind an escrow"
    if ledger.is_over:
        yield f"{kind} after the end"
    if number > 1:
        yield "two departures"
    votes = [body for part in parts if isinstance(body := body_of(part.raw), bodies.Gon)]
    if any(named for vote in votes for named in vote.f):
        yield "votes name a message"
    if votes and len(votes[0].w) > 1:
        yield "two voted out at once"
