"""What a ladder needs to know of one file, told by a judge: everything follows from the bytes, nothing is believed.

A ladder decides with these facts alone (`lobby/ladder/ladder.py`), so that whoever has the files comes to the same
decisions. In a rated match every peer has one seat and the seats have the order of the peers (`net/wire/terms.py`), so
one number stands for both.
"""

from __future__ import annotations

import io
from typing import Literal

import msgspec
from msgspec import Struct

from kontor_games.engine import KontorError
from kontor_games.engine import load as load_game
from kontor_games.net.record.proof import Proven, ProvenDeparture, prove
from kontor_games.net.record.rerun import SEALED_DECK, CannotJudge, deck_of
from kontor_games.net.record.transcript import UnreadableFile
from kontor_games.net.record.verdict import headline, words
from kontor_games.net.record.verify import records_in

Ending = Literal["open", "alone", "finished", "forfeit"]


class RatedFacts(Struct, frozen=True, omit_defaults=True):
    """One file as a ladder sees it; if `refused` says why it does not hold, nothing else is told."""

    refused: str = ""
    line: str = ""  # the verdict's first line
    match: str = ""
    game: str = ""
    rules: int = 0
    ladder: str = ""  # the name in the terms; empty: the match was not rated
    keeper: str = ""  # the key in the terms; empty: none is named
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # those that are not as the game has them by itself
    ending: Ending = "open"
    places: tuple[int, ...] = ()  # by seat, as the rules give them
    left: tuple[str, ...] = ()  # by seat, before the end: «in order», «voted out» or nothing
    signed: tuple[bool, ...] = ()  # whose final signature is there
    owes: tuple[int, ...] = ()  # whose part comes next, if the match is not over
    items: int = 0  # of the chain
    tip: str = ""
    digest: str = ""  # of the state there
    plies: int = 0


_facts = msgspec.msgpack.Decoder(RatedFacts)


def rated_facts(content: bytes) -> RatedFacts:
    """The facts of a file; never raises for what it holds."""
    try:
        records, torn = records_in(io.BytesIO(content))
    except UnreadableFile as error:
        return RatedFacts(refused=f"unreadable: {error}")
    if not records or torn is not None:
        return RatedFacts(refused="unreadable: the last record is incomplete" if records else "unreadable: no match")
    if deck_of(records[0]) != SEALED_DECK:
        return RatedFacts(refused="this is not a match between machines, so nobody signed it")
    try:
        proven = prove(records, load_game)
    except CannotJudge as error:
        return RatedFacts(refused=f"cannot judge: {error}")
    except KontorError as error:
        return RatedFacts(refused=f"refuted: {error}")
    return _told(proven)


def facts_in(data: bytes) -> RatedFacts:
    """The facts in an answer; raises msgspec.DecodeError."""
    return _facts.decode(data)


def _told(proven: Proven) -> RatedFacts:
    ledger = proven.ledger
    terms, result = ledger.terms, ledger.result
    usual = load_game(terms.game, terms.rules).check_options({}, len(terms.seats))
    left = {peer: each for each in proven.departures if not each.is_late for peer in each.peers}
    return RatedFacts(
        line=headline("verified", words(proven)),
        match=ledger.match.hex(),
        game=terms.game,
        rules=terms.rules,
        ladder="" if terms.rated is None else terms.rated.name,
        keeper="" if terms.rated is None or terms.rated.keeper is None else terms.rated.keeper.hex(),
        keys=tuple(peer.key.hex() for peer in terms.peers),
        names=tuple(seat.name for seat in terms.seats),
        kinds=tuple(seat.kind for seat in terms.seats),
        options=tuple(f"{name} = {value}" for name, value in sorted(terms.options.items()) if usual[name] != value),
        ending=_ending(proven),
        places=() if result is None else result.places,
        left=tuple(_left(left.get(peer)) for peer in range(len(terms.peers))),
        signed=tuple(peer in proven.signed for peer in range(len(terms.peers))),
        owes=() if ledger.is_over else _owing(proven),
        items=ledger.position,
        tip=ledger.tip.hex(),
        digest=ledger.digest.hex(),
        plies=ledger.ply,
    )


def _ending(proven: Proven) -> Ending:
    if not proven.ledger.is_over:
        return "open"
    if proven.ledger.how_ended == "forfeit":
        return "forfeit"
    return "finished" if proven.is_finished else "alone"


def _left(departure: ProvenDeparture | None) -> str:
    if departure is None:
        return ""
    return "voted out" if departure.voters else "in order"


def _owing(proven: Proven) -> tuple[int, ...]:
    ledger = proven.ledger
    if ledger.turn is not None:
        return (ledger.terms.seats[ledger.turn].peer,)
    return tuple(peer for peer in ledger.active if ledger.table.owed(peer))
