"""What may stand at one place of the chain has one order, the same at every peer."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec import Raw

from kontor_games.engine.errors import RemoteError
from kontor_games.net.lockstep.partings import ANYTHING_ELSE, departure, rank
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, Frame, encode, parts
from kontor_games.net.wire.match_talk import Item, Signed
from tests.worlds.world import identity

MATCH = b"m" * 32
TIPS = [bytes([n]) * 32 for n in range(4)]


def position_of(tip: bytes) -> int | None:
    return TIPS.index(tip) if tip in TIPS else None


def said(peer: int, tip: bytes, body: bodies.Body) -> Signed:
    raw = encode(DealerMessage(MATCH, peer, tip, bytes(32), Raw(bodies.encode(body))))
    return Signed("dealer", peer, raw, identity(peer).sign("dealer", raw))


def goodbye(peer: int, tip: bytes) -> Item:
    return Item("entry", (said(peer, tip, bodies.Bye(bytes(32))),))


def vote(against: int, *survivors: int) -> Item:
    votes = tuple(said(p, TIPS[3], bodies.Gon(1, (against,), (None,))) for p in survivors)
    return Item("entry", votes + tuple(said(p, TIPS[3], bodies.Giv(0, bytes(64), bytes(32))) for p in survivors))


def turn() -> Item:
    raw = encode(Frame(MATCH, 2, TIPS[3], 0, bytes(32), parts([["pass", 2]])))
    return Item("frame", (Signed("frame", 2, raw, identity(2).sign("frame", raw)),))


def test_a_vote_comes_before_a_goodbye_and_a_goodbye_before_a_turn() -> None:
    order = [vote(2, 0, 1), goodbye(1, TIPS[2]), goodbye(2, TIPS[0]), goodbye(2, TIPS[1]), goodbye(2, TIPS[3]), turn()]
    ranks = [rank(item, position_of) for item in order]
    assert ranks == sorted(ranks) and len(set(ranks)) == len(ranks)
    assert ranks[-1] == ANYTHING_ELSE


def test_whatever_two_peers_heard_first_they_end_with_the_same() -> None:
    """Each goes over to what the other has if that is better, and stays if it is not."""
    items = [vote(2, 0, 1), vote(1, 0, 2), goodbye(2, TIPS[1]), goodbye(2, TIPS[2]), goodbye(1, TIPS[3]), turn()]
    for mine, theirs in permutations(items, 2):
        both = [min((a, b), key=lambda item: rank(item, position_of)) for a, b in ((mine, theirs), (theirs, mine))]
        assert both[0] is both[1]


def test_a_goodbye_concerns_everybody_and_a_vote_those_who_gave_their_shares() -> None:
    left, voted = departure(goodbye(2, TIPS[0])), departure(vote(2, 0, 1))
    assert left is not None and voted is not None
    assert [left.concerns(p) for p in range(3)] == [True, True, True]
    assert [voted.concerns(p) for p in range(3)] == [True, True, False]


def test_shares_of_a_draw_are_not_a_departure() -> None:
    draw = Item("entry", (said(0, TIPS[3], bodies.Shr(1, bytes(32), bytes(32), bytes(32))),))
    assert departure(draw) is None and departure(turn()) is None
    assert rank(draw, position_of) == ANYTHING_ELSE


def test_what_cannot_be_read_is_refused_and_ranks_last() -> None:
    nonsense = Item("entry", (Signed("dealer", 0, b"\x80", bytes(64)),))
    with pytest.raises(RemoteError):
        departure(nonsense)
    assert rank(nonsense, position_of) == ANYTHING_ELSE
