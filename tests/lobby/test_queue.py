"""Matchmaking: who is brought together, and what happens when somebody does not answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.lobby.model.matching import form_groups
from kontor_games.lobby.model.records import OFFER, QUEUE, QueueRecord
from kontor_games.lobby.settings.config import Config, LimitSettings
from kontor_games.net.wire.lobby_messages import MarkKey, OfferOver, Proposal, Queue, Reply, Unqueue
from kontor_games.net.wire.messages import TableView

from .bench import Lobby, done


@pytest.fixture
def lobby() -> Lobby:
    return Lobby()


def entry(number: int, games: tuple[str, ...], seats: tuple[int, ...], blocked: tuple[int, ...] = ()) -> QueueRecord:
    keys = tuple(bytes([other]) * 32 for other in blocked)
    return QueueRecord(bytes([number]) * 32, f"P{number}", "", games, seats, (), number, blocked=keys)


def numbers(group: object) -> list[int]:
    return [person.key[0] for person in group.people]  # type: ignore[attr-defined]


def test_whoever_waits_longest_gets_the_largest_table_they_allow() -> None:
    waiting = [entry(3, ("osaka",), (2, 3)), entry(1, ("osaka",), (2, 3)), entry(2, ("osaka", "hansa"), (3,))]
    (group,) = form_groups(waiting)
    assert group.game == "osaka" and numbers(group) == [1, 2, 3]


def test_people_who_want_different_things_wait_on() -> None:
    assert form_groups([entry(1, ("osaka",), (2,)), entry(2, ("hansa",), (2,)), entry(3, ("osaka",), (3,))]) == []


def test_whoever_blocked_somebody_is_not_brought_together_with_them() -> None:
    waiting = [entry(1, ("osaka",), (2,)), entry(2, ("osaka",), (2,), blocked=(1,)), entry(3, ("osaka",), (2,))]
    (group,) = form_groups(waiting)
    assert numbers(group) == [1, 3]


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["osaka", "hansa", "joban"]), min_size=1, max_size=3, unique=True),
            st.lists(st.integers(2, 5), min_size=1, max_size=3, unique=True),
            st.lists(st.integers(1, 12), max_size=3),
        ),
        max_size=12,
    )
)
def test_groups_fit_everybody_in_them_and_nobody_is_in_two(
    people: list[tuple[list[str], list[int], list[int]]],
) -> None:
    waiting = [entry(i + 1, tuple(games), tuple(seats), tuple(b)) for i, (games, seats, b) in enumerate(people)]
    groups = form_groups(waiting)
    seen = [person.key for group in groups for person in group.people]
    assert len(seen) == len(set(seen))
    for group in groups:
        for person in group.people:
            assert group.game in person.games and len(group.people) in person.seats
            assert not {other.key for other in group.people} & set(person.blocked) - {person.key}


def test_two_who_wait_are_offered_a_match_and_sit_at_a_table_once_both_said_yes(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("anna")
    lobby.do(anna, Queue(("osaka", "hansa"), (2,), ("198.51.100.1:1",)))
    assert lobby.pass_time(2) == 0
    lobby.do(ben, Queue(("hansa",), (2, 3)))
    assert lobby.pass_time(1) == 1
    offer: Proposal = lobby.told(anna, Proposal)[-1]
    assert (offer.game, {person.key for person in offer.people}) == ("hansa", {anna.key, ben.key})
    lobby.do(anna, Reply(offer.offer, True))
    assert lobby.told(anna, TableView) == []
    lobby.do(ben, Reply(offer.offer, True))
    view: TableView = lobby.told(ben, TableView)[-1]
    assert sorted(seat.name for seat in view.seats if seat) == ["Anna", "anna 2"]
    assert "198.51.100.1:1" in next(member.addresses for member in view.members if member.key == anna.key)
    assert done(lobby.store.count(QUEUE.name)) == 0 and done(lobby.store.count(OFFER.name)) == 0
    lobby.sign_terms([anna, ben], view.table)
    assert lobby.told(anna, TableView)[-1].phase == "started"


def test_no_or_silence_costs_the_place_and_the_others_wait_on_where_they_were(lobby: Lobby) -> None:
    people = [lobby.arrive(name) for name in ("Anna", "Ben", "Cleo")]
    for who in people[:2]:
        lobby.do(who, Queue(("osaka",), (2,)))
    lobby.pass_time(1)
    offer = lobby.told(people[0], Proposal)[-1].offer
    lobby.do(people[0], Reply(offer, True))
    lobby.pass_time(lobby.config.times.accept + 1)
    assert lobby.told(people[0], OfferOver)[-1].is_queued
    assert not lobby.told(people[1], OfferOver)[-1].is_queued
    lobby.do(people[2], Queue(("osaka",), (2,)))
    lobby.pass_time(1)
    second = lobby.told(people[2], Proposal)[-1]
    assert [person.name for person in second.people] == ["Anna", "Cleo"]
    lobby.do(people[2], Reply(second.offer, False))
    assert lobby.told(people[0], OfferOver)[-1].is_queued
    assert lobby.refusal(people[0], Reply(second.offer, True)).code == "no-offer"


def test_a_short_disconnect_keeps_the_place_and_a_long_one_loses_it(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    lobby.do(anna, Queue(("osaka",), (2,)))
    lobby.leave(anna)
    lobby.do(ben, Queue(("osaka",), (2,)))
    assert lobby.pass_time(5) == 0  # nobody is offered a match with somebody who is not here
    back, signed_in = lobby.sign_in("Anna", lobby.identities[anna.key])
    assert signed_in.is_queued
    back = lobby.arrive("Anna", lobby.identities[anna.key])
    assert lobby.pass_time(1) == 1
    offer = lobby.told(back, Proposal)[-1]
    lobby.leave(back)
    again = lobby.arrive("Anna", lobby.identities[anna.key])
    assert lobby.told(again, Proposal)[-1] == offer  # shown again after the way back
    lobby.leave(ben)
    lobby.do(again, Reply(offer.offer, True))
    lobby.pass_time(70)
    assert lobby.told(again, OfferOver)[-1].is_queued
    assert done(lobby.store.get(QUEUE.name, ben.id)) is None


def test_leaving_the_queue_ends_an_open_offer(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    for who in (anna, ben):
        lobby.do(who, Queue(("osaka",), (2,)))
    lobby.pass_time(1)
    lobby.do(anna, Unqueue())
    assert lobby.told(ben, OfferOver)[-1].is_queued
    assert done(lobby.store.count(QUEUE.name)) == 1
    lobby.do(anna, Unqueue())


def test_what_cannot_be_played_cannot_be_waited_for(lobby: Lobby) -> None:
    anna = lobby.arrive("Anna")
    assert lobby.refusal(anna, Queue(("chess",), (2,))).code == "queue"
    assert lobby.refusal(anna, Queue(("osaka",), (7,))).code == "queue"


def test_blocked_people_are_not_matched(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    lobby.do(anna, MarkKey(ben.key, "block"))
    for who in (ben, anna):
        lobby.do(who, Queue(("osaka",), (2,)))
    assert lobby.pass_time(5) == 0


def test_a_full_queue_makes_room_from_the_newest_of_the_network_that_has_most_waiting() -> None:
    lobby = Lobby(config=Config(limits=LimitSettings(max_queue=6)))
    first = lobby.arrive("First", address="203.0.113.1")
    lobby.do(first, Queue(("hansa",), (4,)))
    flood = [lobby.arrive(f"Flood {number}", address=f"10.0.0.{number}") for number in range(5)]
    for who in flood:
        lobby.now += 1
        lobby.do(who, Queue(("osaka",), (3,)))
    lobby.now += 1
    anna = lobby.arrive("Anna", address="198.51.100.1")
    lobby.do(anna, Queue(("hansa",), (4,)))
    over = lobby.told(flood[4], OfferOver)[-1]
    assert "the queue is full" in over.reason and not over.is_queued
    assert done(lobby.store.get(QUEUE.name, flood[4].id)) is None
    assert all(done(lobby.store.get(QUEUE.name, who.id)) is not None for who in (first, anna, *flood[:4]))
    assert lobby.refusal(flood[4], Queue(("osaka",), (3,))).code == "full"


def test_whoever_has_to_make_room_while_an_offer_is_open_leaves_the_others_their_places() -> None:
    lobby = Lobby(config=Config(limits=LimitSettings(max_queue=3)))
    people = [lobby.arrive(f"P{number}", address=f"10.0.0.{number}") for number in range(3)]
    for who in people:
        lobby.now += 1
        lobby.do(who, Queue(("osaka",), (3,)))
    assert lobby.pass_time(1) == 1
    lobby.do(lobby.arrive("Anna", address="198.51.100.1"), Queue(("hansa",), (4,)))
    assert [lobby.told(who, OfferOver)[-1].is_queued for who in people] == [True, True, False]
