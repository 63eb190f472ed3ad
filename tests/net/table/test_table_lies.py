"""Lies at the table: keepers and guests that cheat each other before the match. Nothing else starts than was shown."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace as swap

from kontor_games.net.table.guest import CHANGED, Guest, KeeperRefused, Signing, TellKeeper, Voided, sight_of
from kontor_games.net.table.keeper import SIGNING_TIME, Started, Tell
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import (
    Agree,
    AnyMessage,
    Clauses,
    Configure,
    Enter,
    Error,
    Ladder,
    MemberInfo,
    Object,
    Pace,
    Package,
    Propose,
    Ready,
    SeatInfo,
    Sit,
    Start,
    TableView,
    Unready,
)
from kontor_games.net.wire.terms import Terms, TermsPeer, TermsSeat, decode_terms, encode_terms
from tests.worlds.doubles import Facts, Shelf
from tests.worlds.room import ANN, BEN, CEM, DAN, Room, opened, two_seated

EVERYTHING = ("grace", "guests", "rated", "pace")
PACKAGE = Package("kontor-hansa", "1", b"c" * 32)


def said(effects: list[Any]) -> list[AnyMessage]:
    return [effect.message for effect in effects if isinstance(effect, TellKeeper)]


def caught_in(room: Room) -> bytes:
    """Everybody is ready, and the terms lie in the room: nobody has heard of them."""
    room.tamper = lambda peer, message: Error("x", "lost") if isinstance(message, Propose) else message
    room.ready(ANN)
    room.ready(BEN)
    assert room.table.state.phase == "signing"
    return room.table.state.terms


@cache
def by_both(raw: bytes) -> tuple[bytes, ...]:
    return ANN.sign("terms", raw), BEN.sign("terms", raw)


# The keeper lies.


def test_one_agreement_gives_one_signature() -> None:
    room = two_seated()
    raw = caught_in(room)
    guest, terms = room.guests[BEN.key], decode_terms(raw)
    other = encode_terms(swap(terms, peers=(TermsPeer(ANN.key, b"z" * 16), terms.peers[1])))
    signing, first = guest.received(Propose("t", raw))
    assert isinstance(signing, Signing) and isinstance(first, TellKeeper) and isinstance(first.message, Agree)
    objected, refused = guest.received(Propose("t", other))
    assert isinstance(objected, TellKeeper) and isinstance(objected.message, Object)
    assert refused == KeeperRefused("terms", "this node has signed other terms for this table already")


def test_the_same_terms_twice_get_the_same_signature() -> None:
    room = two_seated()
    raw = caught_in(room)
    once, again = (said(room.guests[BEN.key].received(Propose("t", raw))) for _ in range(2))
    assert once == again == [Agree("t", match_id(raw), BEN.sign("terms", raw))]


def test_a_start_that_was_held_back_until_the_table_was_open_again_is_refused() -> None:
    room = two_seated()
    raw = caught_in(room)
    guest = room.guests[BEN.key]
    guest.received(Propose("t", raw))
    assert Voided() in guest.received(swap(room.table.view(), phase="open", notice="Ann is not ready after all"))
    (effect,) = guest.received(Start("t", raw, by_both(raw)))
    assert effect == KeeperRefused("start", "these are not the terms that were signed last at this table")
    guest.ready(b"q" * 16)
    assert said(guest.received(Propose("t", raw))) == [
        Object("t", match_id(raw), "the terms carry other fresh bytes than ours")
    ]


def test_a_signature_that_is_out_holds_even_if_ready_is_taken_back_too_late() -> None:
    """Else an honest match would begin with a player who is not there."""
    room = two_seated()
    raw = caught_in(room)
    guest = room.guests[BEN.key]
    guest.received(Propose("t", raw))
    guest.unready()
    guest.received(swap(room.table.view(), phase="started"))
    assert guest.received(Start("t", raw, by_both(raw))) == [Started(raw, by_both(raw))]


CHANGES: dict[str, Callable[[TableView], TableView]] = {
    "options": lambda v: swap(v, options={"map": "east", "east": False}),
    "recovery": lambda v: swap(v, recovery="none"),
    "spectators": lambda v: swap(v, spectators=True),
    "grace": lambda v: swap(v, clauses=Clauses(grace=60)),
    "rated": lambda v: swap(v, clauses=Clauses(rated=Ladder("open", None))),
    "pace": lambda v: swap(v, clauses=Clauses(pace=Pace("live", 60))),
    "another's name": lambda v: swap(v, seats=(swap_seat(v, 0, name="Anna"), v.seats[1])),
    "another's key": lambda v: swap(v, seats=(swap_seat(v, 0, peer=DAN.key), v.seats[1])),
    "another's kind": lambda v: swap(v, seats=(swap_seat(v, 0, kind="greedy"), v.seats[1])),
    "another's guest": lambda v: swap(v, seats=(swap_seat(v, 0, guest=True), v.seats[1])),
    "my name": lambda v: swap(v, seats=(v.seats[0], swap_seat(v, 1, name="Benny"))),
    "my guest": lambda v: swap(v, seats=(v.seats[0], swap_seat(v, 1, guest=True))),
    "the order of seats": lambda v: swap(v, seats=v.seats[::-1]),
}


def swap_seat(view: TableView, number: int, **fields: Any) -> SeatInfo:
    seat = view.seats[number]
    assert seat is not None
    return swap(seat, **fields)


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_table_that_changes_after_ready_is_not_signed_even_under_the_same_revision(name: str) -> None:
    room = two_seated()
    raw = caught_in(room)
    guest = room.guests[BEN.key]
    shown = swap(room.table.view(), phase="open")
    assert guest.is_agreed
    guest.received(CHANGES[name](shown))
    assert not guest.is_agreed
    assert said(guest.received(Propose("t", raw))) == [Object("t", match_id(raw), "nobody here is ready")]


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_match_does_not_begin_while_another_table_is_shown(name: str) -> None:
    room = two_seated()
    raw = caught_in(room)
    guest = room.guests[BEN.key]
    guest.received(Propose("t", raw))
    guest.received(CHANGES[name](swap(room.table.view(), phase="started")))
    (effect,) = guest.received(Start("t", raw, by_both(raw)))
    assert isinstance(effect, KeeperRefused) and effect.about == "start"


@pytest.mark.parametrize("name", sorted(CHANGES))
@pytest.mark.parametrize("fooled", [ANN, BEN], ids=["the first", "the second"])
def test_guests_who_are_shown_different_tables_never_start(name: str, fooled: Identity) -> None:
    room = Room(ANN, BEN)
    for key in room.guests:
        room.guests[key]._kept = EVERYTHING
    room.tamper = lambda peer, message: (
        CHANGES[name](message)
        if peer == fooled.key and isinstance(message, TableView) and None not in message.seats
        else message
    )
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben"))
    for who in (ANN, BEN):
        if room.guests[who.key].why_not_ready() is None:
            room.ready(who)
    assert room.facts == [] and not room.started(ANN) and not room.started(BEN)
    if room.guests[fooled.key].why_not_ready() is None:
        name_there = "Ann" if fooled is ANN else "Ben"
        assert room.table.state.phase == "open" and f"{name_there} cannot agree: " in room.table.state.notice
        assert len(room.refusals(fooled)) == 1


def test_an_old_start_is_refused_after_a_restart() -> None:
    room = two_seated()
    old = caught_in(room)
    started = swap(room.table.view(), phase="started")
    for remembered in (None, b"m" * 32):
        guest = Guest("t", BEN, Shelf(), remembered)
        guest.received(started)
        (effect,) = guest.received(Start("t", old, by_both(old)))
        assert effect == KeeperRefused("start", "these are not the terms that were signed last at this table")


def test_what_was_signed_before_a_restart_starts_after_it_unless_the_table_is_open_again() -> None:
    room = two_seated()
    raw = caught_in(room)
    started = swap(room.table.view(), phase="started")
    guest = Guest("t", BEN, Shelf(), match_id(raw))
    guest.received(started)
    assert guest.received(Start("t", raw, by_both(raw))) == [Started(raw, by_both(raw))]
    guest = Guest("t", BEN, Shelf(), match_id(raw))
    assert guest.received(swap(started, phase="open"))[0] == Voided()
    guest.received(started)
    (effect,) = guest.received(Start("t", raw, by_both(raw)))
    assert isinstance(effect, KeeperRefused)


def test_the_signature_is_announced_before_it_goes_out() -> None:
    """The node writes it down in between."""
    room = two_seated()
    raw = caught_in(room)
    assert [type(effect) for effect in room.guests[BEN.key].received(Propose("t", raw))] == [Signing, TellKeeper]


def test_a_key_that_did_not_agree_cannot_be_seated() -> None:
    room = Room(ANN, BEN, CEM)
    raw = caught_in_with_cem(room)
    (message,) = said(room.guests[CEM.key].received(Propose("t", raw)))
    assert message == Object("t", match_id(raw), "nobody here is ready")
    sigs = (ANN.sign("terms", raw), bytes(64))
    (effect,) = room.guests[ANN.key].received(Start("t", raw, sigs))
    assert effect == KeeperRefused("start", "the signature of peer 1 does not fit the terms")


def caught_in_with_cem(room: Room) -> bytes:
    """Terms as a keeper makes them that puts Cem's key on Ben's seat."""
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben"))
    terms = decode_terms(caught_in(room))
    return encode_terms(swap(terms, peers=(terms.peers[0], TermsPeer(CEM.key, b"c" * 16))))


def test_fresh_bytes_of_an_earlier_ready_are_refused() -> None:
    room = two_seated()
    old = decode_terms(caught_in(room))
    room.say(BEN, Unready("t"))
    room.ready(ANN)
    room.ready(BEN)
    new = decode_terms(room.table.state.terms)
    assert new.peers[1].nonce != old.peers[1].nonce
    mixed = encode_terms(swap(new, peers=(new.peers[0], old.peers[1])))
    (message,) = said(room.guests[BEN.key].received(Propose("t", mixed)))
    assert isinstance(message, Object) and message.reason == "the terms carry other fresh bytes than ours"


def test_two_peers_with_the_same_fresh_bytes_are_refused_on_both_sides() -> None:
    room = two_seated()
    room.ready(ANN)
    (effect,) = room.table.received(BEN.key, Ready("t", room.table.state.revision, (1).to_bytes(16, "big")), 0.0)
    assert isinstance(effect, Tell) and effect.message == Error("ready", "these bytes are not fresh")
    room = two_seated()
    terms = decode_terms(caught_in(room))
    doubled = encode_terms(swap(terms, peers=(TermsPeer(ANN.key, terms.peers[1].nonce), terms.peers[1])))
    (message,) = said(room.guests[BEN.key].received(Propose("t", doubled)))
    assert isinstance(message, Object) and "two peers have the same nonce" in message.reason


def test_terms_with_a_field_that_nobody_knows_are_not_signed() -> None:
    import msgspec

    room = two_seated()
    more = msgspec.msgpack.encode({**msgspec.msgpack.decode(caught_in(room)), "loot": 1})
    (message,) = said(room.guests[BEN.key].received(Propose("t", more)))
    assert isinstance(message, Object) and "unknown field" in message.reason


def test_a_table_may_agree_on_more_and_all_of_it_is_signed() -> None:
    shelf = Shelf(packages={"hansa": PACKAGE})
    table = opened(shelf, ANN.key, "hansa", {}, 2, clauses=Clauses(120, None, Pace("days", 86400)))
    room = Room(ANN, BEN, shelves={ANN.key: shelf, BEN.key: shelf})
    room.table = table
    for person in (ANN, BEN):
        room.guests[person.key]._kept = EVERYTHING
        room.say(person, Enter("t"))
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben's phone", guest=True))
    room.ready(ANN)
    room.ready(BEN)
    terms = decode_terms(room.started(BEN)[0].raw)
    assert (terms.grace, terms.pace, terms.rated) == (120, Pace("days", 86400), None)
    assert (terms.guests, terms.package) == ((1,), PACKAGE)


@pytest.mark.parametrize("name", ["pace"])
def test_a_node_agrees_to_nothing_that_it_cannot_keep(name: str) -> None:
    room = two_seated()
    view = CHANGES[name](room.table.view())
    guest = Guest("t", BEN, Shelf())
    guest.received(view)
    (effect,) = guest.ready(b"n" * 16)
    assert isinstance(effect, KeeperRefused) and f"({name}): update it" in effect.reason


def test_a_package_that_this_node_does_not_have_is_refused_before_ready() -> None:
    for ours, theirs in ((None, PACKAGE), (PACKAGE, None), (PACKAGE, swap(PACKAGE, code=b"d" * 32))):
        guest = Guest("t", BEN, Shelf(packages={} if ours is None else {"hansa": ours}))
        guest.received(swap(two_seated().table.view(), package=theirs))
        assert "the table plays the code of" in (guest.why_not_ready() or "")


def test_a_person_who_looks_at_an_old_table_does_not_agree_to_the_new_one() -> None:
    room = two_seated()
    guest = room.guests[BEN.key]
    old = sight_of(room.table.view())
    assert guest.ready(b"1" * 16, old) == [TellKeeper(Ready("t", room.table.state.revision, b"1" * 16))]
    for change in CHANGES.values():
        guest.received(change(room.table.view()))
        assert guest.ready(b"2" * 16, old) in (
            [KeeperRefused("ready", CHANGED)],
            [KeeperRefused("ready", guest.why_not_ready())],
        )
        assert not guest.is_agreed
        guest.received(room.table.view())


def test_ready_said_twice_is_one_agreement() -> None:
    """The keeper may be using the first when the second comes."""
    room = two_seated()
    room.ready(ANN)
    first, second = (room.guests[BEN.key].ready(bytes([number]) * 16) for number in (1, 2))
    assert first == second
    room._guest(BEN.key, first)
    assert len(room.started(ANN)) == len(room.started(BEN)) == 1


def test_an_agreement_ends_with_an_objection_and_when_the_keeper_no_longer_counts_it() -> None:
    room = two_seated()
    caught_in(room)
    guest = room.guests[BEN.key]
    guest.received(Propose("t", b"nonsense"))
    assert not guest.is_agreed
    room.say(BEN, Unready("t"))
    room.ready(BEN)
    assert guest.is_agreed
    room.lost(BEN)
    room.say(BEN, Enter("t"))
    assert not guest.is_agreed


# A guest lies.


def test_a_signature_under_other_bytes_opens_the_table_again_and_names_the_guest() -> None:
    room = two_seated()
    raw = caught_in(room)
    room.say(BEN, Agree("t", match_id(raw), BEN.sign("terms", raw + b"\0")))
    assert room.table.state.phase == "open"
    assert room.table.state.notice == "Ben sent a signature that does not fit the terms"


def test_a_signature_of_another_kind_or_of_another_key_is_no_agreement() -> None:
    for signature in (lambda raw: BEN.sign("chat", raw), lambda raw: ANN.sign("terms", raw)):
        room = two_seated()
        raw = caught_in(room)
        room.say(BEN, Agree("t", match_id(raw), signature(raw)))
        assert room.table.state.phase == "open" and room.facts == []


def test_a_second_signature_that_differs_takes_the_first_one_back() -> None:
    room = two_seated()
    raw = caught_in(room)
    room.say(BEN, Agree("t", match_id(raw), BEN.sign("terms", raw)))
    room.say(BEN, Agree("t", match_id(raw), bytes(64)))
    assert room.table.state.phase == "open" and "Ben" in room.table.state.notice
    room.say(ANN, Agree("t", match_id(raw), ANN.sign("terms", raw)))
    assert room.facts == []


def test_an_answer_to_earlier_terms_is_not_one_to_these() -> None:
    room = two_seated()
    old = caught_in(room)
    room.say(BEN, Unready("t"))
    new = caught_in(room)
    assert new != old
    for answer in (Agree("t", match_id(old), BEN.sign("terms", old)), Object("t", match_id(old), "no")):
        (effect,) = room.table.received(BEN.key, answer, 0.0)
        assert isinstance(effect, Tell) and isinstance(effect.message, Error)
        assert effect.message.reason == "these terms are not on the table"
    assert room.table.state.phase == "signing"


def test_whoever_withholds_a_signature_is_named_and_the_table_opens_again() -> None:
    room = two_seated()
    raw = caught_in(room)
    room.say(ANN, Agree("t", match_id(raw), ANN.sign("terms", raw)))
    room.wait(SIGNING_TIME)
    assert room.table.state.phase == "open" and room.table.state.notice == "no answer to the terms from Ben"
    assert not room.guests[ANN.key].is_agreed


def test_a_stranger_and_a_visitor_cannot_answer_for_a_player() -> None:
    room = Room(ANN, BEN, CEM)
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben"))
    raw = caught_in(room)
    for who in (CEM, DAN):
        (effect,) = room.table.received(who.key, Agree("t", match_id(raw), who.sign("terms", raw)), 0.0)
        assert isinstance(effect, Tell) and isinstance(effect.message, Error)
    assert room.table.state.phase == "signing"


def test_clauses_that_do_not_go_together_are_refused_where_they_are_made() -> None:
    room = two_seated()
    (effect,) = room.table.received(ANN.key, Configure("t", {}, 2, "none", False, Clauses(grace=60)), 0.0)
    assert isinstance(effect, Tell) and isinstance(effect.message, Error) and "grace" in effect.message.reason
    room.say(ANN, Configure("t", {}, 3, "majority", False, Clauses(rated=Ladder("open", None))))
    room.say(BEN, Sit("t", 2, "Ben's other hand"))
    for person in (ANN, BEN):
        room.guests[person.key]._kept = EVERYTHING
        room.ready(person)
    assert room.table.state.phase == "open" and "ratings belong to keys" in room.table.state.notice


# Every order of everything, as far as it makes a difference.


@dataclass(frozen=True)
class World:
    """A guest, what its keeper holds of it, and, kept apart from the guest, what its person must be able to rely on."""

    guest: Guest
    readies: int = 0
    signed: frozenset[bytes] = frozenset()  # the guest's signatures that the keeper has
    agrees: TableView | None = None  # what the person agrees to and sees
    bound: bytes = b""  # what was signed last, until the table is open again

    @property
    def name(self) -> object:
        """The same for worlds in which the same can happen; the views are always the same few objects."""
        guest = self.guest
        agreed = guest._agreed and (id(guest._agreed[0]), guest._agreed[1])
        ours = (self.readies, self.signed, id(self.agrees), self.bound)
        return id(guest.view), agreed, guest._signed, guest._is_counted, *ours


def nonce(number: int) -> bytes:
    return bytes([number]) * 16


def shown(recovery: Any, phase: Any, revision: int = 1) -> TableView:
    seats = (SeatInfo(ANN.key, "Ann", "human"), SeatInfo(BEN.key, "Ben", "human"))
    members = tuple(MemberInfo(key, (), True, phase != "open", 2) for key in (ANN.key, BEN.key))
    options = {"map": "west", "east": False}
    return TableView(
        "t", revision, phase, ANN.key, "hansa", 3, b"d" * 32, options, recovery, False, seats, members, protocol=2
    )


def terms(recovery: Any, mine: int, hers: int = 9) -> bytes:
    peers = (TermsPeer(ANN.key, nonce(hers)), TermsPeer(BEN.key, nonce(mine)))
    seats = (TermsSeat(0, "Ann", "human"), TermsSeat(1, "Ben", "human"))
    options = {"map": "west", "east": False}
    return encode_terms(Terms(2, "hansa", 3, b"d" * 32, options, peers, seats, recovery, False, "sealed/1"))


VIEWS = [shown(r, p) for r in ("majority", "none") for p in ("open", "signing", "started")] + [
    shown("majority", "open", 2)
]
TERMS = [terms("majority", 1), terms("majority", 1, 8), terms("majority", 2), terms("none", 1), terms("none", 2)]
STEPS: list[AnyMessage | str] = [*VIEWS, *(Propose("t", raw) for raw in TERMS), "start", "ready", "unready"]


def step(world: World, what: AnyMessage | str) -> list[World]:
    """What may come of one input; the keeper and Ann work together, so a start needs only Ben's signature."""
    guest = copy.copy(world.guest)
    match what:
        case "ready":
            if world.readies >= 2 or guest.view is None:
                return []
            guest.ready(nonce(world.readies + 1))
            return [replace(world, guest=guest, readies=world.readies + 1, agrees=guest.view)]
        case "unready":
            guest.unready()
            return [replace(world, guest=guest, agrees=None)]
        case "start":
            return [after for raw in world.signed for after in step(world, Start("t", raw, by_both(raw)))]
        case Start(raw=raw, sigs=sigs):
            if guest.received(what) == [Started(raw, sigs)]:
                assert raw == world.bound, "this was signed before the table was open again"
                assert is_of(raw, guest.view), "another table is on the screen"
                return []
            return [replace(world, guest=guest)]
        case Propose(raw=raw):
            if not any(isinstance(message, Agree) for message in said(guest.received(what))):
                return [replace(world, guest=guest)]
            assert is_of(raw, world.agrees), "the person does not agree to this"
            return [replace(world, guest=guest, signed=world.signed | {raw}, bound=raw)]
        case TableView():
            guest.received(what)
            same = world.agrees is not None and sight_of(what) == sight_of(world.agrees)
            bound = b"" if what.phase == "open" else world.bound
            return [replace(world, guest=guest, agrees=world.agrees if same else None, bound=bound)]
    raise AssertionError(what)


def is_of(raw: bytes, view: TableView | None) -> bool:
    """Whether these terms say what the view shows, as far as the walk has anything to choose."""
    return view is not None and decode_terms(raw).recovery == view.recovery


def test_in_every_order_one_agreement_is_one_signature_and_nothing_begins_that_is_not_shown() -> None:
    start = World(Guest("t", BEN, Shelf((Facts(),))))
    seen = {start.name}
    queue = deque([(start, 0)])
    starts = signatures = 0
    while queue:
        world, depth = queue.popleft()
        for what in STEPS:
            for after in step(world, what):
                mine = [decode_terms(raw).peers[1].nonce for raw in after.signed]
                assert len(set(mine)) == len(mine), "two signatures with the same fresh bytes"
                signatures += len(after.signed) > len(world.signed)
                if after.name not in seen and depth < 8:
                    seen.add(after.name)
                    queue.append((after, depth + 1))
        starts += any(not step(world, Start("t", raw, by_both(raw))) for raw in world.signed)
    assert signatures > 100 and starts > 10, "the walk must come to signatures and starts"
