"""The sealed channel: what opens, and everything that must not."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from nacl.bindings import crypto_secretbox

from kontor_games.net.api.guests.sealed_channel import (
    ChannelError,
    Credential,
    DoorEnd,
    UnknownCredential,
    commitment_to,
    id_of,
    read_hello,
)

from .phone import CODE, DEVICE, LINK, Phone

SECRET = bytes(range(16))
SMALL = [  # points whose multiples come to zero (RFC 7748, section 6.1; Cremers and Jackson)
    bytes(32),
    b"\x01" + bytes(31),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes.fromhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes.fromhex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
]


def knows(*secrets: bytes) -> Callable[[Credential, bytes], bytes | None]:
    names = {id_of(secret): secret for secret in secrets}
    return lambda credential, id: names.get(id)


def met(kind: int = LINK, secret: bytes = SECRET) -> tuple[Phone, DoorEnd]:
    """Both ends after the exchange."""
    phone, door = Phone(kind, secret), DoorEnd(knows(secret))
    assert not door.is_agreed
    assert door.greet(phone.meet(door.greet(phone.hello))) == b""
    assert door.is_agreed
    return phone, door


@pytest.mark.parametrize(("kind", "secret"), [(LINK, SECRET), (DEVICE, os.urandom(32)), (CODE, b"")])
def test_both_ends_open_what_the_other_sealed_and_derive_the_same(kind: int, secret: bytes) -> None:
    phone, door = met(kind, secret)
    for size in (0, 1, 251, 252, 253, 60_000):
        content = os.urandom(size)
        box = phone.seal(content)
        assert len(box) % 256 == 16 and len(box) - 16 - 4 - size < 256
        assert door.open(box) == content
        assert phone.open(door.seal(content)) == content
    assert door.agreed is not None
    assert door.agreed.device == phone.device and door.agreed.words == phone.words and len(phone.words) == 3


def test_a_box_shows_its_length_in_steps_alone() -> None:
    phone, _ = met()
    assert {len(phone.seal(b"x" * size)) for size in range(253)} == {16 + 256}


def test_every_connection_has_keys_of_its_own() -> None:
    seen = set()
    for _ in range(3):
        _, door = met()
        assert door.agreed is not None
        seen |= {door.agreed.from_phone, door.agreed.to_phone, door.agreed.device}
    assert len(seen) == 9


def test_a_wrong_secret_is_unknown_or_opens_nothing() -> None:
    with pytest.raises(UnknownCredential):
        DoorEnd(knows(SECRET)).greet(Phone(LINK, b"x" * 16).hello)
    liar, door = Phone(LINK, b"x" * 16), DoorEnd(knows(SECRET))
    liar.hello = b"KG1" + bytes([LINK]) + id_of(SECRET) + commitment_to(liar.key)  # it knows the name alone
    door.greet(liar.meet(door.greet(liar.hello)))
    with pytest.raises(ChannelError, match="does not open"):
        door.open(liar.seal(b"{}"))


def test_a_recorded_connection_says_nothing_to_the_next() -> None:
    phone, door = met()
    box = phone.seal(b"play")
    assert door.open(box) == b"play"
    again = DoorEnd(knows(SECRET))
    assert again.greet(phone.hello) != b""
    again.greet(phone.key)
    with pytest.raises(ChannelError, match="does not open"):
        again.open(box)


def test_doubled_swapped_and_skipped_boxes_do_not_open() -> None:
    phone, door = met()
    first, second, third = (phone.seal(word) for word in (b"1", b"2", b"3"))
    with pytest.raises(ChannelError):
        met()[1].open(first)  # of another connection
    assert door.open(first) == b"1"
    with pytest.raises(ChannelError):
        door.open(first)
    phone, door = met()
    first, second = phone.seal(b"1"), phone.seal(b"2")
    with pytest.raises(ChannelError):
        door.open(second)
    phone, door = met()
    first, second, third = (phone.seal(word) for word in (b"1", b"2", b"3"))
    assert door.open(first) == b"1"
    with pytest.raises(ChannelError):
        door.open(third)


def test_a_box_of_the_other_direction_does_not_open() -> None:
    _, door = met()
    with pytest.raises(ChannelError):
        door.open(door.seal(b"mine"))


def test_flipped_and_cut_boxes_do_not_open() -> None:
    for place in (0, 15, 16, 20, 271):
        phone, door = met()
        box = bytearray(phone.seal(b"take r5"))
        box[place] ^= 1
        with pytest.raises(ChannelError):
            door.open(bytes(box))
    for cut in (0, 1, 16, 17, 271, 273):
        phone, door = met()
        with pytest.raises(ChannelError, match="wrong length"):
            door.open((phone.seal(b"take r5") + b"x")[:cut])
    phone, door = met()
    with pytest.raises(ChannelError):
        door.open(phone.seal(bytes(600))[: 16 + 256])


@pytest.mark.parametrize(
    "padded",
    [
        b"\xff" * 256,
        (253).to_bytes(4, "big") + bytes(252),
        (1).to_bytes(4, "big") + b"ab" + bytes(250),
        (1).to_bytes(4, "big") + bytes(508),
    ],
)
def test_padding_has_one_form(padded: bytes) -> None:
    phone, door = met()
    with pytest.raises(ChannelError, match="padding"):
        door.open(crypto_secretbox(padded, bytes(24), phone.out))


@pytest.mark.parametrize("point", SMALL, ids=range(len(SMALL)))
def test_a_point_of_small_order_is_not_a_key(point: bytes) -> None:
    for kind, secret in ((LINK, SECRET), (CODE, b"")):
        phone, door = Phone(kind, secret), DoorEnd(knows(SECRET))
        door.greet(phone.hello[:12] + commitment_to(point))
        with pytest.raises(ChannelError, match="not a key"):
            door.greet(point)


def test_a_phone_cannot_choose_its_key_after_it_has_seen_the_nodes() -> None:
    phone, door = Phone(CODE), DoorEnd(knows())
    door.greet(phone.hello)
    with pytest.raises(ChannelError, match="promised"):
        door.greet(Phone(CODE).key)


def test_whoever_sits_between_is_seen_in_the_words() -> None:
    phone, door = Phone(CODE), DoorEnd(knows())
    to_phone, to_door = DoorEnd(knows()), Phone(CODE)
    to_phone.greet(phone.meet(to_phone.greet(phone.hello)))
    door.greet(to_door.meet(door.greet(to_door.hello)))
    assert door.open(to_door.seal(to_phone.open(phone.seal(b"ABC234")))) == b"ABC234", "it can pass on what is typed"
    assert door.agreed is not None and door.agreed.words != phone.words


@pytest.mark.parametrize(
    "hello",
    [
        b"",
        b"KG1",
        b"KG2" + Phone(LINK, SECRET).hello[3:],
        Phone(LINK, SECRET).hello + b"x",
        Phone(LINK, SECRET).hello[:-1],
        Phone(9, SECRET).hello,
        Phone(LINK).hello,
        Phone(CODE, SECRET).hello,
        b"GET / HTTP/1.1\r\n",
        os.urandom(44),
    ],
)
def test_a_connection_begins_in_one_way(hello: bytes) -> None:
    with pytest.raises(ChannelError):
        read_hello(hello)
    with pytest.raises(ChannelError):
        DoorEnd(knows(SECRET)).greet(hello)
