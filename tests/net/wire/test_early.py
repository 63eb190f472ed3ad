"""What comes early is kept for its time, and nobody can fill our memory with it."""

from __future__ import annotations

from kontor_games.net.wire.early import Early


def kept(early: Early[str, int], peer: int) -> list[str]:
    return [key for key, _ in early.of(peer)]


def test_of_each_peer_only_the_newest_are_kept() -> None:
    early: Early[str, int] = Early(2)
    for number, key in enumerate("abc"):
        early.keep(0, key, number)
    early.keep(1, "d", 0)
    assert kept(early, 0) == ["b", "c"] and kept(early, 1) == ["d"] and kept(early, 2) == []


def test_what_comes_again_neither_moves_nor_takes_the_place_of_another() -> None:
    early: Early[str, int] = Early(2)
    for key in ("a", "b", "a"):
        early.keep(0, key, 0)
    assert kept(early, 0) == ["a", "b"]


def test_the_first_whose_time_has_come_is_taken_once() -> None:
    early: Early[str, int] = Early(8)
    for peer, key, time in ((1, "later", 9), (0, "now", 3), (1, "too", 2)):
        early.keep(peer, key, time)
    assert early.take(lambda time: time <= 3) == "too", "peers in the order in which they were heard first"
    assert early.take(lambda time: time <= 3) == "now"
    assert early.take(lambda time: time <= 3) is None and kept(early, 1) == ["later"]
