"""Tables whose seats were drawn: everybody sits where they were drawn to, and nothing can be changed."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.net.table.keeper import Started
from kontor_games.net.wire.messages import Clauses, Configure, Error, Ladder, Sit
from kontor_games.net.wire.terms import decode_terms
from tests.worlds.room import ANN, BEN, CEM, Room

MARK = Ladder("event.abcdefghijklmnopqrstuvwxyz", CEM.key)


def drawn() -> Room:
    room = Room(ANN, BEN, CEM)
    room.table.state = replace(room.table.state, kept_for=(BEN.key, ANN.key), clauses=Clauses(rated=MARK))
    return room


def test_a_seat_is_for_whom_it_was_drawn_and_nobody_else() -> None:
    room = drawn()
    for who, seat in ((ANN, 0), (CEM, 0), (CEM, 1), (BEN, 1)):
        (refused,) = room.table.received(who.key, Sit("t", seat, "Name"), 0.0)
        assert isinstance(refused.message, Error)  # type: ignore[union-attr]
        assert "is kept for somebody else" in refused.message.reason  # type: ignore[union-attr]
    (refused,) = room.table.received(ANN.key, Configure("t", {}, 3, "majority", False), 0.0)
    assert "were drawn and cannot be changed" in refused.message.reason  # type: ignore[union-attr]


def test_the_terms_name_the_round_that_all_sign() -> None:
    room = drawn()
    room.say(ANN, Sit("t", 1, "Ann"))
    room.say(BEN, Sit("t", 0, "Ben"))
    room.ready(ANN)
    room.ready(BEN)
    (fact,) = room.facts
    assert isinstance(fact, Started)
    terms = decode_terms(fact.raw)
    assert terms.rated == MARK and [peer.key for peer in terms.peers] == [BEN.key, ANN.key]
