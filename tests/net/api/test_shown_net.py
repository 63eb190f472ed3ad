"""A match as the API keeps it: a committed turn outlasts the node, troubles and look-alike names are told truly."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.net.api.network.patience import Patience
from kontor_games.net.api.network.shown_net import ShownNetMatch
from kontor_games.net.lockstep.effects import Healed
from kontor_games.net.record import draft_file
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.wire.chain import encode
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.match_talk import Signed
from tests.worlds.match_files import named_terms
from tests.worlds.world import Node, World, identity, make_terms


class PlayedMatch:
    """What a shown needs of `net.lockstep.match.Match`, over a node of the little world."""

    def __init__(self, world: World, node: Node, folder: Path) -> None:
        self.files = MatchFiles.of(folder, node.session.ledger.match)
        self._world = world
        self._node = node

    @property
    def session(self) -> Any:
        return self._node.session

    def play(self, actions: Any) -> None:
        self._world.perform(self._node, self.session.play(actions))


def shown_of(world: World, node: Node, folder: Path) -> ShownNetMatch:
    match: Any = PlayedMatch(world, node, folder)
    return ShownNetMatch(node.session.ledger, match, None, lambda _: None, lambda shown, line: None)


def test_a_turn_that_waits_for_a_peer_survives_the_process(tmp_path: Path) -> None:
    world = World(make_terms("osaka", 2), 2)
    world.begin()
    world.quiet()
    node = next(n for n in world.nodes if n.session.ledger.seat_peer(n.session.ledger.turn or 0) == n.number)
    other = 1 - node.number
    shown = shown_of(world, node, tmp_path)
    seat = shown.to_act
    assert seat is not None and shown.draft is not None
    while not shown.draft.must_commit:
        first = shown.draft.choices(seat)[0].actions[0]
        shown.draft.add(seat, shown.game.notation.say(shown.draft.state, first))
    world.unlink(node.number, other)
    node.session._peers[other].tip = b""  # it has not acknowledged where we are
    ply, actions, tip = shown.ply, shown.draft.actions, shown.ledger.tip
    shown.commit()
    assert shown.is_committed and shown.ply == ply
    path = MatchFiles.of(tmp_path, shown.ledger.match).draft
    assert draft_file.load(path, tip, shown.game.codec) == (actions, True)
    node.synced = len(node.journal)
    world.crash(node.number)
    world.restart(node.number)
    again = shown_of(world, node, tmp_path)
    assert again.draft is not None and again.draft.actions == actions
    again.play_again()
    assert again.is_committed
    world.link(node.number, other)
    world.quiet()
    assert all(n.session.ledger.ply > ply for n in world.nodes)
    assert not again.is_committed and engine.digest(world.nodes[0].session.ledger.state) == engine.digest(
        world.nodes[1].session.ledger.state
    )


def _differing(recovery: str, peers: int, folder: Path) -> str:
    world = World(make_terms("osaka", peers, recovery=recovery), peers)
    world.begin()
    world.quiet()
    shown = shown_of(world, world.nodes[0], folder)
    shown.on_effect(Healed((1,)))
    (sentence,) = shown.extra()["faults"]
    return str(sentence)


def test_nobody_is_told_to_vote_where_the_terms_know_no_vote(tmp_path: Path) -> None:
    assert "The others can vote to go on without" in _differing("majority", 3, tmp_path)
    for recovery, peers in (("none", 3), ("majority", 2)):
        sentence = _differing(recovery, peers, tmp_path)
        assert "vote" not in sentence and "nobody can go on without" in sentence


def test_a_player_reads_that_the_node_waits_for_a_departure_it_did_its_part_for(tmp_path: Path) -> None:
    world = World(make_terms("osaka", 3), 3)
    world.begin()
    world.quiet()
    giver, silent, _ = world.nodes
    world.perform(giver, giver.session.vote_gone([2]))
    shown = shown_of(world, giver, tmp_path)
    assert shown.extra()["faults"] == [], "a vote alone can be taken back"
    vote = silent.session.ledger.entries.departures.vote([2])
    raw = encode(vote)
    world.perform(giver, giver.session.heard(1, Signed("dealer", 1, raw, identity(1).sign("dealer", raw))))
    (told,) = shown.extra()["faults"]
    assert told.startswith("This computer has done its part to go on without Player 2, and that cannot be taken back")


def test_of_two_who_look_alike_the_other_is_marked_on_ones_own_screen_and_the_later_seat_for_watchers(
    tmp_path: Path,
) -> None:
    world = World(named_terms("osaka", ("Ann", "\u0410nn")), 2)
    world.begin()
    keys = [fingerprint(peer.key)[:19] for peer in world.nodes[0].session.ledger.terms.peers]
    assert [seat.mark for seat in shown_of(world, world.nodes[0], tmp_path).seats] == ["", keys[1]]
    assert [seat.mark for seat in shown_of(world, world.nodes[1], tmp_path).seats] == [keys[0], ""]
    watched = ShownNetMatch(world.nodes[0].session.ledger, None, None, lambda _: None, lambda shown, line: None)
    assert [seat.mark for seat in watched.seats] == ["", keys[1]]


def test_clients_are_told_when_the_time_of_grace_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(make_terms("osaka", 3), 3)
    world.begin()
    world.quiet()
    told: list[ShownNetMatch] = []
    match: Any = PlayedMatch(world, world.nodes[0], tmp_path)
    shown = ShownNetMatch(match.session.ledger, match, None, told.append, lambda shown, line: None)  # type: ignore[arg-type]
    shown._patience = Patience(60)
    for peer in (0, 1):
        world.unlink(peer, 2)
    world.quiet()
    told.clear()
    for seconds, can_vote, changes in ((0, None, 0), (3, False, 1), (30, False, 1), (61, True, 2), (90, True, 2)):
        monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: 1000.0 + seconds)
        shown.links_changed()
        waiting = shown.extra()["waiting"]
        assert (None if waiting is None else waiting["can_vote"]) is can_vote
        assert len(told) == changes, f"after {seconds} s"
