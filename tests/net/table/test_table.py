"""The table machine: keeper and guests pumped into each other, alone, and under arbitrary talk."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kontor_games import engine
from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.table.catalogue import Catalogue, GameFacts, Installed, installed, why_not_game
from kontor_games.net.table.guest import Guest, KeeperRefused, Signing, TellKeeper, why_not_terms
from kontor_games.net.table.keeper import GRACE, SIGNING_TIME, Started, TableClosed, TableKeeper, Tell
from kontor_games.net.table.table_rules import MAX_MEMBERS
from kontor_games.net.table.table_state import TableState
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Identity, six_words, verify
from kontor_games.net.wire.messages import (
    Agree,
    AnyMessage,
    Clauses,
    Configure,
    Enter,
    Error,
    Ladder,
    Leave,
    Object,
    Pace,
    Package,
    PassHost,
    Propose,
    Ready,
    Remove,
    Rename,
    SeatInfo,
    Sit,
    Stand,
    Start,
    TableView,
    Unready,
    decode,
    encode,
)
from kontor_games.net.wire.terms import LATER, Terms, TermsPeer, TermsSeat, decode_terms, encode_terms, why_not_signed
from tests.worlds.doubles import Facts, Shelf, identity
from tests.worlds.room import ANN, BEN, CEM, DAN, Room, opened, two_seated


def test_two_peers_sit_agree_sign_and_start() -> None:
    room = two_seated()
    room.ready(ANN)
    assert room.table.state.phase == "open"
    room.ready(BEN)
    (fact,) = room.facts
    assert isinstance(fact, Started)
    assert room.started(ANN) == room.started(BEN) == [fact]
    terms = decode_terms(fact.raw)
    assert (terms.version, terms.game, terms.rules, terms.data) == (2, "hansa", 3, b"d" * 32)
    assert terms.deck == "sealed/1" and all(getattr(terms, name) is None for name in LATER)
    assert terms.options == {"map": "west", "east": False} and terms.recovery == "majority"
    assert [peer.key for peer in terms.peers] == [ANN.key, BEN.key]
    assert [(seat.peer, seat.name, seat.kind) for seat in terms.seats] == [(0, "Ann", "human"), (1, "Ben", "human")]
    assert why_not_signed(fact.raw, fact.signatures) is None
    signing = [effect for effect in room.heard[ANN.key] if isinstance(effect, Signing)]
    assert [six_words(effect.match) for effect in signing] == [six_words(match_id(fact.raw))]


def test_a_peer_may_hold_several_seats_and_run_bots() -> None:
    room = Room(ANN, BEN, seats=4)
    for message in (Sit("t", 1, "Ann"), Sit("t", 3, "Robo", "bot"), Sit("t", 2, "Anna")):
        room.say(ANN, message)
    room.say(BEN, Sit("t", 0, "Ben"))
    room.ready(ANN)
    room.ready(BEN)
    terms = decode_terms(room.started(BEN)[0].raw)
    assert [peer.key for peer in terms.peers] == [BEN.key, ANN.key]
    assert terms.seats_of(1) == (1, 2, 3) and terms.seats_of(0) == (0,)
    assert terms.seats[3].kind == "bot"


def test_one_peer_alone_does_not_start() -> None:
    room = Room(ANN, BEN)
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(ANN, Sit("t", 1, "Robo", "bot"))
    room.ready(ANN)
    assert room.table.state.phase == "open" and room.facts == []


REFUSED: dict[str, tuple[Identity, AnyMessage, str]] = {
    "a taken seat": (BEN, Sit("t", 0, "Benny"), "seat 0 is taken by Ann"),
    "a seat that is not there": (BEN, Sit("t", 5, "Benny"), "there is no seat 5"),
    "a name in use": (BEN, Rename("t", 1, "ANN"), "somebody here is called ANN already"),
    "a name with a trick": (BEN, Rename("t", 1, "B\u202en"), "direction-changing"),
    "another's seat": (BEN, Stand("t", 0), "seat 0 is not yours"),
    "another's name": (BEN, Rename("t", 0, "Fool"), "seat 0 is not yours"),
    "options by a guest": (BEN, Configure("t", {}, 2, "none", False), "only the host"),
    "unknown options": (ANN, Configure("t", {"dice": 1}, 2, "none", False), "there is no option dice"),
    "another table": (ANN, Stand("other", 0), "no such table"),
    "a stranger": (DAN, Sit("t", 1, "Dan"), "enter first"),
    "passing to nobody": (ANN, PassHost("t", DAN.key), "no such member"),
    "removing oneself": (ANN, Remove("t", ANN.key), "that is you"),
    "ready for an old table": (ANN, Ready("t", 0, b"n" * 16), "the table has changed"),
    "signing nothing": (ANN, Agree("t", b"m" * 32, b"s" * 64), "not on the table"),
    "a bad address": (BEN, Enter("t", ("nowhere",)), "is not an address"),
    "what only a keeper says": (BEN, Propose("t", b"raw"), "not for a table's keeper"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refusals_have_a_reason_and_change_nothing(name: str) -> None:
    who, message, reason = REFUSED[name]
    room = two_seated()
    before = room.table.view()
    (effect,) = room.table.received(who.key, message, 0.0)
    assert isinstance(effect, Tell) and effect.peer == who.key
    assert isinstance(effect.message, Error) and reason in effect.message.reason
    assert room.table.view() == before


def test_a_table_that_could_never_be_played_is_not_made() -> None:
    for game, options in (("chess", {}), ("hansa", {"dice": 1})):
        with pytest.raises(ConfigError):
            opened(Shelf(), ANN.key, game, options, 2)
    with pytest.raises(ConfigError, match="not an address"):
        opened(Shelf(), ANN.key, "hansa", {}, 2, addresses=["nowhere"])


def test_every_change_of_what_is_agreed_takes_all_readies_back() -> None:
    changes: tuple[tuple[Identity, AnyMessage], ...] = (
        (BEN, Rename("t", 1, "Benny")),
        (ANN, Configure("t", {"east": True}, 2, "majority", False)),
        (ANN, Configure("t", {}, 3, "majority", False)),
        (ANN, Configure("t", {}, 2, "none", False)),
        (ANN, Configure("t", {}, 2, "majority", True)),
        (ANN, Configure("t", {}, 2, "majority", False, Clauses(grace=120))),
        (ANN, Configure("t", {}, 2, "majority", False, Clauses(rated=Ladder("open", None)))),
        (ANN, Configure("t", {}, 2, "majority", False, Clauses(pace=Pace("live", 60)))),
        (BEN, Stand("t", 1)),
        (BEN, Leave("t")),
        (ANN, Remove("t", BEN.key)),
    )
    for who, message in changes:
        room = two_seated()
        room.ready(ANN)
        assert room.table.view().members[0].is_ready
        room.say(who, message)
        assert not any(member.is_ready for member in room.table.view().members)
        assert room.facts == []


def test_fewer_seats_make_people_stand() -> None:
    room = Room(ANN, BEN, seats=3)
    room.say(BEN, Sit("t", 2, "Ben"))
    room.say(ANN, Configure("t", {}, 2, "majority", False))
    assert room.table.view().seats == (None, None)


def test_the_host_passes_the_table_on_and_sends_people_away() -> None:
    room = Room(ANN, BEN, CEM)
    room.say(BEN, Sit("t", 1, "Ben"))
    room.say(ANN, PassHost("t", CEM.key))
    room.say(ANN, Remove("t", BEN.key))
    assert "only the host may do that" in room.refusals(ANN)
    room.say(CEM, Remove("t", BEN.key))
    assert room.refusals(BEN) == ["the host asked you to leave the table"]
    assert room.table.view().seats == (None, None)
    assert {member.key for member in room.table.view().members} == {ANN.key, CEM.key}


def test_a_leaving_host_is_followed_and_the_last_one_closes_the_table() -> None:
    room = Room(ANN, BEN, CEM)
    room.say(CEM, Sit("t", 0, "Cem"))
    room.say(ANN, Leave("t"))
    assert room.table.state.host == CEM.key
    room.say(CEM, Leave("t"))
    assert room.table.state.host == BEN.key
    room.say(BEN, Leave("t"))
    assert room.facts == [TableClosed("t")]


def test_a_full_table_takes_no_more_members() -> None:
    room = Room(*(identity(number) for number in range(1, MAX_MEMBERS + 1)))
    late = identity(99)
    (effect,) = room.table.received(late.key, Enter("t"), 0.0)
    assert isinstance(effect, Tell) and isinstance(effect.message, Error) and "full" in effect.message.reason


def test_a_lost_member_keeps_its_seat_for_a_while_but_is_not_ready() -> None:
    room = two_seated()
    room.ready(BEN)
    room.lost(BEN)
    member = room.table.view().members[1]
    assert not member.is_here and not member.is_ready
    room.wait(GRACE - 1)
    room.say(BEN, Enter("t", ("127.0.0.1:2",)))
    room.wait(2)
    assert [seat and seat.name for seat in room.table.view().seats] == ["Ann", "Ben"]
    room.lost(BEN)
    assert room.table.wake_at == room.now + GRACE
    room.wait(GRACE)
    assert [seat and seat.name for seat in room.table.view().seats] == ["Ann", None]


@pytest.mark.parametrize("how", ["unready", "lost", "leave", "late", "forged"])
def test_signing_that_does_not_come_off_opens_the_table_again_with_a_reason(how: str) -> None:
    room = two_seated()
    silent: Callable[[bytes, AnyMessage], AnyMessage] = lambda peer, message: (  # noqa: E731  Ben never sees the terms
        Error("x", "lost on the way") if peer == BEN.key and isinstance(message, Propose) else message
    )
    room.tamper = silent
    room.ready(ANN)
    room.ready(BEN)
    assert room.table.state.phase == "signing"
    raw_id = match_id(room.table.state.terms)
    match how:
        case "unready":
            room.say(BEN, Unready("t"))
        case "lost":
            room.lost(BEN)
        case "leave":
            room.say(BEN, Leave("t"))
        case "late":
            room.wait(SIGNING_TIME)
        case "forged":
            room.say(BEN, Agree("t", raw_id, bytes(64)))
    view = room.table.view()
    assert view.phase == "open" and "Ben" in view.notice
    assert not any(member.is_ready for member in view.members) and room.facts == []
    if how == "unready":
        room.tamper = lambda peer, message: message
        room.ready(ANN)
        room.ready(BEN)
        assert len(room.started(ANN)) == len(room.started(BEN)) == 1


def test_nothing_changes_while_terms_are_being_signed() -> None:
    room = two_seated()
    room.tamper = lambda peer, message: Error("x", "y") if isinstance(message, Propose) else message
    room.ready(ANN)
    room.ready(BEN)
    for message in (Sit("t", 0, "A"), Stand("t", 0), Rename("t", 0, "A"), Configure("t", {}, 2, "none", False)):
        (effect,) = room.table.received(ANN.key, message, 0.0)
        assert isinstance(effect, Tell) and isinstance(effect.message, Error)
        assert "being signed" in effect.message.reason


def test_a_member_that_missed_the_start_gets_it_when_it_returns() -> None:
    room = two_seated()
    room.tamper = lambda peer, message: Error("x", "y") if peer == BEN.key and isinstance(message, Start) else message
    room.ready(ANN)
    room.ready(BEN)
    assert room.started(ANN) and not room.started(BEN)
    room.tamper = lambda peer, message: message
    signed = match_id(room.table.state.terms)
    room.guests[BEN.key] = Guest("t", BEN, Shelf(), signed)  # even after a restart: what it signed is on its disk
    room.say(BEN, Enter("t"))
    assert room.started(BEN) == room.started(ANN)


DIFFERENT = {
    "no such game": (Shelf(()), "does not know the game hansa"),
    "other rules": (Shelf((Facts(rules_version=4),)), "the table plays rules version 3, this node has version 4"),
    "other data": (Shelf((Facts(data_digest=b"e" * 32),)), "game data"),
    "other seats": (Shelf((Facts(seats=(3, 4)),)), "is played by 3, 4, not by 2"),
}


@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_a_node_that_differs_refuses_before_it_is_ready(name: str) -> None:
    shelf, reason = DIFFERENT[name]
    room = Room(ANN, BEN, shelves={BEN.key: shelf})
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben"))
    room.ready(ANN)
    room.ready(BEN)
    assert reason in room.refusals(BEN)[-1]
    assert room.table.state.phase == "open"


class Before(Installed):
    """The games of this program as it was: under the first version of their rules."""

    def find(self, game: str) -> GameFacts | None:
        return engine.load(game, 1)


OLDER_AND_NEWER = [
    pytest.param(Before(), installed, "version 1, this node has version 2; the host must update Kontor", id="host"),
    pytest.param(installed, Before(), "version 2, this node has version 1; update Kontor here to play it", id="guest"),
]


@pytest.mark.parametrize(("host", "guest", "told"), OLDER_AND_NEWER)
def test_nodes_with_different_rules_are_told_who_must_update(host: Catalogue, guest: Catalogue, told: str) -> None:
    room = Room(ANN, BEN, shelves={ANN.key: host, BEN.key: guest}, kept_with=host)
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben"))
    room.ready(ANN)
    room.ready(BEN)
    assert room.refusals(BEN) == [f"hansa: the table plays rules {told}"]
    assert room.table.state.phase == "open"


@pytest.mark.parametrize("game", engine.game_ids())
def test_terms_of_an_older_version_start_nothing_new(game: str) -> None:
    older = engine.load(game, 1)
    full = older.check_options({}, older.seats[0])
    reason = why_not_game(installed, game, 1, older.data_digest, full, older.seats[0])
    assert reason is not None and reason.startswith(f"{game}: the table plays rules version 1, this node has version 2")


def honest_terms(room: Room) -> Terms:
    caught: list[bytes] = []

    def catch(peer: bytes, message: AnyMessage) -> AnyMessage:
        if isinstance(message, Propose):
            caught.append(message.raw)
        return message

    room.tamper = catch
    room.ready(ANN)
    room.ready(BEN)
    return decode_terms(caught[0])


def swap(terms: Terms, **fields: object) -> Terms:
    return msgspec.structs.replace(terms, **fields)


FORGED: dict[str, tuple[Callable[[Terms], Terms], str]] = {
    "game": (lambda t: swap(t, game="yokohama"), "does not know the game"),
    "rules": (lambda t: swap(t, rules=2), "rules version 2"),
    "data": (lambda t: swap(t, data=b"x" * 32), "game data"),
    "options": (lambda t: swap(t, options={"map": "east", "east": False}), "options in the terms is"),
    "illegal options": (lambda t: swap(t, options={"dice": 1}), "there is no option dice"),
    "missing options": (lambda t: swap(t, options={"map": "west"}), "option east is missing"),
    "recovery": (lambda t: swap(t, recovery="none"), "recovery in the terms is 'none'"),
    "spectators": (lambda t: swap(t, spectators=True), "spectators in the terms is True"),
    "deck": (lambda t: swap(t, deck="local/1"), "deck mode local/1"),
    "my nonce": (lambda t: swap(t, peers=(t.peers[0], TermsPeer(BEN.key, b"x" * 16))), "other fresh bytes than ours"),
    "my key": (lambda t: swap(t, peers=(t.peers[0], TermsPeer(CEM.key, b"x" * 16))), "do not name this peer"),
    "another key": (lambda t: swap(t, peers=(TermsPeer(CEM.key, b"x" * 16), t.peers[1])), "belongs to another peer"),
    "my name": (
        lambda t: swap(t, seats=(t.seats[0], TermsSeat(1, "Bent", "human"))),
        "seat 1 is 'Bent' (human) in the terms, 'Ben' (human) at the table",
    ),
    "my kind": (lambda t: swap(t, seats=(t.seats[0], TermsSeat(1, "Ben", "bot"))), "seat 1 is 'Ben' (bot)"),
    "my seat": (lambda t: swap(t, peers=t.peers[::-1]), "belongs to another peer"),
    "order of peers": (
        lambda t: swap(t, peers=t.peers[::-1], seats=(TermsSeat(1, "Ann", "human"), TermsSeat(0, "Ben", "human"))),
        "not in the order of their first seats",
    ),
    "version 1": (lambda t: swap(t, version=1), "kept by an older Kontor (protocol 1)"),
    "grace": (lambda t: swap(t, grace=1), "clauses in the terms is Clauses(grace=1"),
    "rated": (lambda t: swap(t, rated=Ladder("open", None)), "clauses in the terms is"),
    "pace": (lambda t: swap(t, pace=Pace("days", 86400)), "clauses in the terms is"),
    "guests": (lambda t: swap(t, guests=(1,)), "seat 1 belongs to a guest"),
    "package": (lambda t: swap(t, package=Package("hansa", "1", b"c" * 32)), "the code of hansa 1"),
    "more seats": (lambda t: swap(t, seats=(*t.seats, TermsSeat(0, "Ann 2", "human"))), "3 seats, the table showed 2"),
}


@pytest.mark.parametrize("name", sorted(FORGED))
def test_terms_that_differ_from_the_table_are_not_signed(name: str) -> None:
    forge, reason = FORGED[name]
    room = two_seated()
    honest: Callable[[bytes, AnyMessage], AnyMessage] = room.tamper

    def tamper(peer: bytes, message: AnyMessage) -> AnyMessage:
        if peer == BEN.key and isinstance(message, Propose):
            return Propose("t", encode_terms(forge(decode_terms(message.raw))))
        return honest(peer, message)

    room.tamper = tamper
    room.ready(ANN)
    room.ready(BEN)
    said = [effect.message for effect in room.heard[BEN.key] if isinstance(effect, TellKeeper)]
    assert isinstance(said[-1], Object) and reason in said[-1].reason
    assert not any(isinstance(message, Agree) for message in said)
    assert reason in room.refusals(BEN)[0] and room.facts == []


def test_terms_are_refused_after_the_person_took_ready_back() -> None:
    room = two_seated()
    terms = encode_terms(honest_terms(room))
    guest = Guest("t", BEN, Shelf())
    guest.received(room.table.view())
    guest.ready(b"n" * 16)
    guest.unready()
    say, refused = guest.received(Propose("t", terms))
    assert isinstance(say, TellKeeper) and isinstance(say.message, Object)
    assert refused == KeeperRefused("terms", "nobody here is ready")


def test_a_table_with_tricky_names_is_refused_by_its_guests_too() -> None:
    guest = Guest("t", BEN, Shelf())
    view = two_seated().table.view()
    for seats, reason in (
        ((SeatInfo(ANN.key, "A\u202en", "human"), view.seats[1]), "direction-changing"),
        ((SeatInfo(ANN.key, "BEN", "human"), view.seats[1]), "two at the table are called Ben"),
    ):
        guest.received(msgspec.structs.replace(view, seats=seats))
        assert reason in (guest.why_not_ready() or "")


def test_a_start_needs_all_signatures() -> None:
    room = two_seated()
    room.ready(ANN)
    room.ready(BEN)
    (fact,) = room.started(BEN)
    ann, ben = fact.signatures
    for sigs in ((ben, ann), (ann,), (ann, bytes(64)), (ann, ben, ben)):
        (effect,) = Guest("t", BEN, Shelf()).received(Start("t", fact.raw, sigs))
        assert isinstance(effect, KeeperRefused) and effect.about == "start"
    (effect,) = Guest("t", BEN, Shelf()).received(Start("t", fact.raw + b"\0", fact.signatures))
    assert isinstance(effect, KeeperRefused)


def test_a_start_of_other_terms_than_signed_last_is_refused() -> None:
    old, new = two_seated(), two_seated()
    old.ready(ANN)
    old.ready(BEN)
    new.nonces = 7
    new.tamper = lambda peer, message: Error("x", "y") if isinstance(message, Start) else message
    new.ready(ANN)
    new.ready(BEN)
    (fact,) = old.started(BEN)
    (effect,) = new.guests[BEN.key].received(Start("t", fact.raw, fact.signatures))
    assert effect == KeeperRefused("start", "these are not the terms that were signed last at this table")


def terms_of(room: Room) -> bytes:
    room.ready(ANN)
    room.ready(BEN)
    return room.started(ANN)[0].raw


def test_the_match_id_changes_with_every_byte_of_the_terms_and_with_every_start() -> None:
    one, two = two_seated(), two_seated()
    two.nonces = 5
    assert match_id(terms_of(one)) != match_id(terms_of(two))


MANGLED: dict[str, Callable[[Terms], object]] = {
    "a peer is listed twice": lambda t: swap(t, peers=(t.peers[0], TermsPeer(t.peers[0].key, b"x" * 16))),
    "the same nonce": lambda t: swap(t, peers=(t.peers[0], TermsPeer(BEN.key, t.peers[0].nonce))),
    "every peer needs a seat": lambda t: swap(t, seats=(t.seats[0], TermsSeat(0, "Ann 2", "human"))),
    "every seat a peer": lambda t: swap(t, seats=(*t.seats, TermsSeat(5, "Nobody", "human"))),
    "version": lambda t: {**msgspec.to_builtins(t, builtin_types=(bytes,)), "version": 3},
    "unknown field": lambda t: {**msgspec.to_builtins(t, builtin_types=(bytes,)), "zeal": 2},
    "canonical": lambda t: dict(reversed(msgspec.to_builtins(t, builtin_types=(bytes,)).items())),
}


@pytest.mark.parametrize("reason", sorted(MANGLED))
def test_mangled_terms_are_refused(reason: str) -> None:
    terms = decode_terms(terms_of(two_seated()))
    with pytest.raises(RemoteError, match="malformed terms") as caught:
        decode_terms(msgspec.msgpack.encode(MANGLED[reason](terms)))
    assert reason in str(caught.value)


def test_why_not_terms_accepts_the_honest_terms() -> None:
    room = two_seated()
    terms = decode_terms(terms_of(room))
    view = msgspec.structs.replace(room.table.view(), phase="open")
    assert why_not_terms(terms, view, terms.peers[1].nonce, BEN.key, Shelf()) is None


PEOPLE = [ANN, BEN, CEM, DAN]


class AnyTable(RuleBasedStateMachine):
    """People do anything in any order; the table stays whole and starts only what all of them signed."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Room(ANN, BEN, CEM, DAN, seats=2)

    @rule(who=st.sampled_from(PEOPLE), seat=st.integers(0, 3), name=st.sampled_from(["Ann", "Ben", "x\u202e"]))
    def sit(self, who: Identity, seat: int, name: str) -> None:
        self.room.say(who, Sit("t", seat, name))

    @rule(order=st.permutations(PEOPLE), bots=st.booleans())
    def settle(self, order: list[Identity], bots: bool) -> None:
        """Whoever is first in the order takes what is free, the last few seats perhaps with programs."""
        for seat in range(len(self.room.table.state.seats)):
            who = order[seat % (2 if bots else 4)]
            self.room.say(who, Sit("t", seat, f"P{seat}", "greedy" if bots and seat > 1 else "human"))

    @rule(order=st.permutations(PEOPLE))
    def all_ready(self, order: list[Identity]) -> None:
        for who in order:
            self.room.ready(who)

    @rule(order=st.permutations(PEOPLE), deaf=st.sampled_from(PEOPLE))
    def half_signed(self, order: list[Identity], deaf: Identity) -> None:
        """All are ready, but one may never hear the terms: what happens next meets a table that is signing."""
        self.deafen({deaf.key})
        self.settle(order, False)
        self.all_ready(order)
        if self.room.table.state.phase == "signing":
            event("signing")

    @precondition(lambda self: self.room.table.state.phase in ("started", "closed"))
    @rule(seats=st.integers(2, 4))
    def next_table(self, seats: int) -> None:
        event(f"table ended {self.room.table.state.phase}")
        self.room = Room(ANN, BEN, CEM, DAN, seats=seats)

    def teardown(self) -> None:
        event(f"last notice: {self.room.table.state.notice or 'none'}")

    @rule(who=st.sampled_from(PEOPLE), seat=st.integers(0, 3))
    def stand(self, who: Identity, seat: int) -> None:
        self.room.say(who, Stand("t", seat))

    @rule(who=st.sampled_from(PEOPLE), seats=st.integers(1, 4), spectators=st.booleans())
    def configure(self, who: Identity, seats: int, spectators: bool) -> None:
        self.room.say(who, Configure("t", {}, seats, "none", spectators))

    @rule(who=st.sampled_from(PEOPLE))
    def ready(self, who: Identity) -> None:
        self.room.ready(who)

    @rule(who=st.sampled_from(PEOPLE))
    def unready(self, who: Identity) -> None:
        self.room._guest(who.key, self.room.guests[who.key].unready())

    @rule(who=st.sampled_from(PEOPLE))
    def leave(self, who: Identity) -> None:
        self.room.say(who, Leave("t"))

    @rule(who=st.sampled_from(PEOPLE))
    def enter(self, who: Identity) -> None:
        self.room.say(who, Enter("t"))

    @rule(who=st.sampled_from(PEOPLE), other=st.sampled_from(PEOPLE))
    def pass_host(self, who: Identity, other: Identity) -> None:
        self.room.say(who, PassHost("t", other.key))

    @rule(who=st.sampled_from(PEOPLE))
    def lose(self, who: Identity) -> None:
        self.room.lost(who)

    @rule(deaf=st.sets(st.sampled_from([p.key for p in PEOPLE]), max_size=2))
    def some_do_not_hear(self, deaf: set[bytes]) -> None:
        self.deafen(deaf)

    def deafen(self, deaf: set[bytes]) -> None:
        """From now on these do not hear proposals."""
        self.room.tamper = lambda peer, message: (
            Error("x", "y") if peer in deaf and isinstance(message, Propose) else message
        )

    @rule(seconds=st.sampled_from([1.0, SIGNING_TIME, GRACE]))
    def wait(self, seconds: float) -> None:
        self.room.wait(seconds)

    @invariant()
    def table_is_whole(self) -> None:
        table = self.room.table
        if table.state.phase == "closed":
            return
        view = decode(encode(table.view()))
        assert isinstance(view, TableView)
        members = {member.key for member in view.members}
        assert view.host in members or table.state.phase == "started"
        if table.state.phase != "started":
            assert all(seat is None or seat.peer in members for seat in view.seats)
        names = [seat.name for seat in view.seats if seat]
        assert len(set(names)) == len(names)
        assert (table.wake_at is not None) or table.state.phase != "signing"

    @invariant()
    def put_away_and_taken_out_it_is_the_same(self) -> None:
        table = self.room.table
        stored = msgspec.msgpack.encode(table.state)
        assert msgspec.msgpack.decode(stored, type=TableState) == table.state
        assert TableKeeper(table.state, table._facts, table._package).view() == table.view()

    @invariant()
    def starts_are_signed_by_all(self) -> None:
        starts = [fact for fact in self.room.facts if isinstance(fact, Started)]
        assert len(starts) <= 1
        for fact in starts:
            terms = decode_terms(fact.raw)
            assert len(fact.signatures) == len(terms.peers) >= 2
            for peer, signature in zip(terms.peers, fact.signatures, strict=True):
                assert verify(peer.key, "terms", fact.raw, signature)


AnyTable.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestAnyTable = AnyTable.TestCase


def test_every_installed_game_can_have_a_table() -> None:
    from kontor_games import engine
    from kontor_games.net.table.catalogue import installed

    assert installed.find("no-such-game") is None
    for game in engine.game_ids():
        facts = installed.find(game)
        assert facts is not None and facts.id == game and len(facts.data_digest) == 32
        seats = max(facts.seats)
        table = opened(installed, ANN.key, game, {}, seats)
        assert decode(encode(table.view())) == table.view()
