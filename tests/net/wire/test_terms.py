"""Terms of version 2: one encoding for everything, bounds, what goes together; version 1 as it always was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kontor_games.engine.errors import RemoteError
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.messages import Clauses, Ladder, Pace, Package
from kontor_games.net.wire.terms import LATER, Terms, TermsPeer, TermsSeat, decode_terms, encode_terms, why_not_signed
from tests.worlds.doubles import identity

# The example of docs/wire.md for version 1, here once more: these bytes, and what follows from them, never change.
VERSION_1 = bytes.fromhex(
    "8aa776657273696f6e01a467616d65a56f73616b61a572756c657301a464617461c420000102030405060708090a0b0c0d0e0f1011121314"
    "15161718191a1b1c1d1e1fa76f7074696f6e7382a16102a162c3a570656572739292c4204cb5abf6ad79fbf5abbccafcc269d85cd2651ed4"
    "b885b5869f241aedf0a5ba29c4104141414141414141414141414141414192c4207422b9887598068e32c4448a949adb290d0f4e35b9e01b"
    "0ee5f1a1e600fe2674c41042424242424242424242424242424242a57365617473929300a3416e6ea568756d616e9301a342656ea568756d"
    "616ea87265636f76657279a86d616a6f72697479aa737065637461746f7273c2a46465636ba87365616c65642f31"
)
ONE, TWO, THREE = (identity(number).key for number in (1, 2, 3))
PLAIN = Terms(
    version=2,
    game="osaka",
    rules=1,
    data=bytes(range(32)),
    options={"a": 2, "b": True},
    peers=(TermsPeer(ONE, b"A" * 16), TermsPeer(TWO, b"B" * 16)),
    seats=(TermsSeat(0, "Ann", "human"), TermsSeat(1, "Ben", "human")),
    recovery="majority",
    spectators=False,
    deck="sealed/1",
)
FULL = {
    "grace": 120,
    "guests": (1,),
    "rated": Ladder("spring-2027", THREE),
    "pace": Pace("days", 3 * 86400),
    "package": Package("kontor-carcassonne", "1.2.0rc1", b"c" * 32),
}


def with_(**fields: Any) -> Terms:
    return msgspec.structs.replace(PLAIN, **fields)


SOME_TERMS = encode_terms(with_(**{name: value for name, value in FULL.items() if name != "rated"}))


def plain(terms: Terms) -> dict[str, Any]:
    """The terms as a map that can be bent."""
    found: dict[str, Any] = msgspec.msgpack.decode(encode_terms(terms))
    return found


def test_version_1_is_read_and_written_to_the_byte_as_ever() -> None:
    terms = decode_terms(VERSION_1)
    assert terms.version == 1 and encode_terms(terms) == VERSION_1
    assert match_id(VERSION_1).hex() == "70b6880f946eb2aff9cb938465a82b2096eb1690b18be3b00803e7fcbe622947"
    assert terms.clauses is None and all(getattr(terms, name) is None for name in LATER)
    signatures = tuple(identity(number).sign("terms", VERSION_1) for number in (1, 2))
    assert why_not_signed(VERSION_1, signatures) is None


def test_version_1_may_have_its_peers_in_any_order_as_it_always_could() -> None:
    seats = (TermsSeat(1, "Ann", "human"), TermsSeat(0, "Ben", "human"))
    raw = encode_terms(with_(version=1, seats=seats))
    assert decode_terms(raw).seats == seats


@pytest.mark.parametrize("name", sorted(FULL))
def test_each_field_of_version_2_travels_and_is_missing_when_it_is_absent(name: str) -> None:
    terms = with_(**{name: FULL[name]})
    raw = encode_terms(terms)
    assert decode_terms(raw) == terms
    assert set(plain(terms)) - set(plain(PLAIN)) == {name}
    assert match_id(raw) != match_id(encode_terms(PLAIN))


@pytest.mark.parametrize("name", sorted(FULL))
def test_version_1_cannot_carry_a_field_of_version_2(name: str) -> None:
    with pytest.raises(RemoteError, match=f"version 1 has no field {name}"):
        decode_terms(encode_terms(with_(version=1, **{name: FULL[name]})))


@pytest.mark.parametrize("name", sorted(FULL))
def test_an_absent_field_is_left_out_not_written_as_nothing(name: str) -> None:
    with pytest.raises(RemoteError, match="canonical"):
        decode_terms(msgspec.msgpack.encode({**plain(PLAIN), name: None}))


def bent(**fields: Any) -> Callable[[], bytes]:
    return lambda: msgspec.msgpack.encode({**plain(PLAIN), **fields})


MALFORMED: dict[str, tuple[Callable[[], bytes], str]] = {
    "no grace at all": (bent(grace=0), "grace"),
    "grace for ever": (bent(grace=30 * 86400 + 1), "grace"),
    "grace as text": (bent(grace="120"), "grace"),
    "no guests as a list": (bent(guests=[]), "guests"),
    "guests out of order": (lambda: encode_terms(with_(guests=(1, 0))), "ascending order"),
    "a guest twice": (lambda: encode_terms(with_(guests=(1, 1))), "ascending order"),
    "a guest on no seat": (lambda: encode_terms(with_(guests=(2,))), "ascending order"),
    "a program as a guest": (
        lambda: encode_terms(with_(guests=(1,), seats=(PLAIN.seats[0], TermsSeat(1, "Ben", "greedy")))),
        "not a program",
    ),
    "a rated guest": (lambda: encode_terms(with_(guests=(1,), rated=FULL["rated"])), "ratings belong to keys"),
    "two rated seats of a key": (
        lambda: encode_terms(with_(seats=(*PLAIN.seats, TermsSeat(1, "Bee", "human")), rated=FULL["rated"])),
        "ratings belong to keys",
    ),
    "rated by yes": (bent(rated=True), "rated"),
    "a ladder without its second half": (bent(rated=["open"]), "rated"),
    "a ladder with more": (bent(rated=["open", None, 1]), "rated"),
    "a ladder of shouts": (bent(rated=["Open!", None]), "rated"),
    "a short keeper": (bent(rated=["open", b"k" * 31]), "rated"),
    "a pace of another kind": (bent(pace=["blitz", 60]), "pace"),
    "a pace that nobody can keep": (bent(pace=["live", 9]), "pace"),
    "a live pace of a day": (bent(pace=["live", 86400]), "at most 86399"),
    "days and a half": (bent(pace=["days", 129600]), "multiple of 86400"),
    "days of no length": (bent(pace=["days", 0]), "pace"),
    "a month and a day": (bent(pace=["days", 31 * 86400]), "pace"),
    "a package with another name for itself": (bent(package=["Kontor_Go", "1", b"c" * 32]), "package"),
    "a package without a version": (bent(package=["kontor-go", "", b"c" * 32]), "package"),
    "a package of other code": (bent(package=["kontor-go", "1", b"c" * 20]), "package"),
    "grace where nobody can be put out": (lambda: encode_terms(with_(grace=60, recovery="none")), "needs recovery"),
    "peers in another order": (
        lambda: encode_terms(with_(seats=(TermsSeat(1, "Ann", "human"), TermsSeat(0, "Ben", "human")))),
        "order of their first seats",
    ),
    "a field of a later version": (bent(handicap=1), "unknown field"),
    "a later version": (bent(version=3), "version"),
    "version 0": (bent(version=0), "version"),
    "version true": (bent(version=True), "version"),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_terms_out_of_bounds_or_at_odds_with_themselves_are_refused(name: str) -> None:
    raw, reason = MALFORMED[name]
    with pytest.raises(RemoteError, match="malformed terms") as caught:
        decode_terms(raw())
    assert reason in str(caught.value)


def test_a_rated_match_may_have_a_grace_time_without_recovery() -> None:
    terms = with_(grace=60, recovery="none", rated=Ladder("open", None))
    assert decode_terms(encode_terms(terms)) == terms
    assert terms.clauses == Clauses(grace=60, rated=Ladder("open", None))


CLAUSES = st.fixed_dictionaries(
    {},
    optional={
        "grace": st.integers(1, 30 * 86400),
        "pace": st.one_of(
            st.integers(10, 86399).map(lambda seconds: Pace("live", seconds)),
            st.integers(1, 30).map(lambda days: Pace("days", days * 86400)),
        ),
        "rated": st.builds(Ladder, st.sampled_from(["open", "club.2027/1"]), st.sampled_from([None, THREE])),
        "package": st.just(FULL["package"]),
    },
)


@settings(max_examples=200)
@given(CLAUSES, st.data())
def test_any_change_of_a_byte_makes_other_terms_or_none(fields: dict[str, Any], data: st.DataObject) -> None:
    raw = bytearray(encode_terms(with_(**fields)))
    assert decode_terms(bytes(raw)) == with_(**fields)
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        found = decode_terms(bytes(raw))
    except RemoteError:
        return
    assert encode_terms(found) == bytes(raw) and found != with_(**fields)
