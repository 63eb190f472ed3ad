"""A verified match as rows of tables: one for the match, one for each seat, one for each ply. Everything follows from
the records; nothing is judged here. docs/organising.md documents the columns.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from kontor_games.engine import Action
from kontor_games.engine.core.action import event_dict
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.record.replay import rerun_of
from kontor_games.net.record.rerun import Rerun
from kontor_games.net.record.sealed_replay import SealedReplay
from kontor_games.net.record.verify import records_in
from kontor_games.net.wire.terms import Terms


class MatchRow(Struct, frozen=True):
    """One match."""

    match: str
    game: str
    rules: int
    options: str
    sealed: bool
    players: int
    plies: int
    decisions: int
    finished: bool
    ending: str
    stand_in_plies: int


class SeatRow(Struct, frozen=True):
    """One seat of a match."""

    match: str
    game: str
    seat: int
    players: int
    name: str
    kind: str
    key: str
    score: int | None
    place: int | None
    won: bool | None
    decisions: int
    left: bool


class PlyRow(Struct, frozen=True):
    """One ply of a match."""

    match: str
    game: str
    ply: int
    seat: int | None
    action: str
    text: str
    stand_in: bool


class Description(Struct, frozen=True):
    """All rows of one match."""

    match: MatchRow
    seats: list[SeatRow]
    plies: list[PlyRow]
    gained: list[tuple[int, str]]  # seat and card: what the notation of an action does not name


_CARDS = {"TechnologyGained": "technology"}  # events that name a card by its face, and what that is
_descriptions = msgspec.msgpack.Decoder(Description)


def describe(content: bytes) -> Description:
    """The rows of a verified file."""
    records, _ = records_in(io.BytesIO(content))
    rerun = rerun_of(records)
    plies = [ply for placed in records[1:] for ply in rerun.feed(placed)]
    rows = [_ply_row(rerun, ply) for ply in plies]
    state, terms = rerun.state, rerun.terms
    result = None if state is None else rerun.game.result(state)
    match = MatchRow(
        match=rerun.match.hex(),
        game=terms.game,
        rules=terms.rules,
        options=json.dumps(dict(terms.options), sort_keys=True),
        sealed=isinstance(terms, Terms),
        players=len(terms.seats),
        plies=len(rows),
        decisions=sum(row.seat is not None and not row.stand_in for row in rows),
        finished=result is not None,
        ending=_ending(rerun) if result is None else result.reason,
        stand_in_plies=sum(row.stand_in for row in rows),
    )
    return Description(match, _seat_rows(rerun, rows), rows, _gained(rerun, plies))


def description_in(data: bytes) -> Description:
    """The rows in an answer; raises msgspec.DecodeError."""
    return _descriptions.decode(data)


def _ending(rerun: Rerun) -> str:
    """How a match without a result ended: a forfeit, or not at all."""
    return "forfeit" if isinstance(rerun, SealedReplay) and rerun.ledger.how_ended == "forfeit" else ""


def _gained(rerun: Rerun, plies: Sequence[Ply]) -> list[tuple[int, str]]:
    events = [event_dict(event) for ply in plies for event in ply.events if type(event).__name__ in _CARDS]
    return [(event["seat"], f"{_CARDS[event['event']]} {rerun.game.faces[event['card']]}") for event in events]


def _ply_row(rerun: Rerun, ply: Ply) -> PlyRow:
    action = ply.action
    seat = action.seat if isinstance(action, Action) else None
    name = str(type(action).__struct_config__.tag)
    stand_in = seat is not None and seat in ply.before.desk.gone
    return PlyRow(rerun.match.hex(), rerun.terms.game, ply.number, seat, name, ply.text or "", stand_in)


def _seat_rows(rerun: Rerun, plies: Sequence[PlyRow]) -> list[SeatRow]:
    state, terms = rerun.state, rerun.terms
    result = None if state is None else rerun.game.result(state)
    gone = () if state is None else state.desk.gone
    decisions = Counter(row.seat for row in plies if not row.stand_in)
    seats = [(seat.name, seat.kind) for seat in terms.seats]
    return [
        SeatRow(
            match=rerun.match.hex(),
            game=terms.game,
            seat=number,
            players=len(terms.seats),
            name=name,
            kind=kind,
            key=terms.peers[terms.seats[number].peer].key.hex() if isinstance(terms, Terms) else "",
            score=None if result is None else result.scores[number],
            place=None if result is None else result.places[number],
            won=None if result is None else number in result.winners,
            decisions=decisions[number],
            left=number in gone,
        )
        for number, (name, kind) in enumerate(seats)
    ]
