"""Frames and messages: any bytes are either refused or mean exactly one thing."""

from __future__ import annotations

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kontor_games.engine.errors import LocalError, RemoteError
from kontor_games.net.wire.frames import BULK, CONTROL, MAX_BULK, MAX_CONTROL, FrameReader, pack_frame
from kontor_games.net.wire.messages import (
    AnyMessage,
    Charter,
    Enter,
    Error,
    Hello,
    LinkBye,
    MatchTalk,
    MemberInfo,
    Offers,
    OptionValue,
    Ping,
    Ready,
    SeatInfo,
    Sit,
    Spectate,
    TableView,
    decode,
    encode,
)

VIEW = TableView(
    table="t-1",
    revision=4,
    phase="open",
    host=b"k" * 32,
    game="hansa",
    rules=1,
    data=b"d" * 32,
    options={"map": "west", "east": True, "n": -3},
    recovery="majority",
    spectators=True,
    seats=(SeatInfo(b"k" * 32, "Ann", "human"), None),
    members=(MemberInfo(b"k" * 32, ("127.0.0.1:1",), True, False),),
)
SAMPLES: list[AnyMessage] = [
    Hello((1,), b"n" * 16, ("relay",)),
    Ping(2**31 - 1),
    LinkBye("so long"),
    VIEW,
    Enter("t", ("h:1",)),
    Sit("t", 0, "Ann"),
    Ready("t", 3, b"n" * 16),
    Charter(b"raw", (b"s" * 64,)),
    MatchTalk(b"m" * 32, b"talk"),
]


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: type(message).__name__)
def test_a_message_survives_the_wire_as_plain_msgpack(message: AnyMessage) -> None:
    body = encode(message)
    assert decode(body) == message
    plain = msgpack.unpackb(body)
    assert isinstance(plain, dict) and isinstance(plain["t"], str)


def changed(message: AnyMessage, **fields: object) -> bytes:
    return bytes(msgpack.packb({**msgpack.unpackb(encode(message)), **fields}))


MALFORMED = {
    "number": changed(Ping(1), number=-1),
    "`number`": bytes(msgpack.packb({"t": "ping"})),
    "versions": changed(SAMPLES[0], versions=[]),
    "nonce": changed(SAMPLES[0], nonce=b"n" * 17),
    "features": changed(SAMPLES[0], features=["Not a word"]),
    "`more`": changed(Ping(1), more=1),
    "$.t": changed(Ping(1), t="pingg"),
    "$.reason": changed(Error("sit", "x"), reason="x" * 401),
    "$.seats[0].name": changed(VIEW, seats=[{"peer": b"k" * 32, "name": "", "kind": "human"}]),
    "$.seats[0].kind": changed(VIEW, seats=[{"peer": b"k" * 32, "name": "A", "kind": "Robot"}]),
    "$.host": changed(VIEW, host="k" * 32),
    "$.spectators": changed(VIEW, spectators=1),
    "$.options": changed(VIEW, options={"map": 1.5}),
    "in `$.options": changed(VIEW, options={"MAP": 1}),
    "$.talk": changed(SAMPLES[-1], talk=b""),
    "truncated": encode(VIEW)[:-1],
    "trailing": encode(VIEW) + b"\0",
}


@pytest.mark.parametrize("field", sorted(MALFORMED))
def test_a_malformed_message_is_refused_with_the_field_named(field: str) -> None:
    with pytest.raises(RemoteError, match="malformed message") as caught:
        decode(MALFORMED[field])
    assert field in str(caught.value)


def test_a_number_is_neither_a_bool_nor_a_float() -> None:
    for wrong in (True, 1.0, "1", None, 2**31, 2**64 - 1):
        with pytest.raises(RemoteError):
            decode(changed(Ping(1), number=wrong))


@pytest.mark.parametrize(
    "bomb",
    [
        b"\x91" * 60_000,
        b"\x81\xa1x" * 20_000,
        b"\x82\xa1t\xa5hello\xa8versions\xdd\xff\xff\xff\xff",
        b"\x82\xa1t\xa5table\xa7options\xdf\xff\xff\xff\xff",
        b"\x82\xa1t\xa7charter\xa3raw\xc6\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xc7\xff\x01" + b"x" * 255,
    ],
)
def test_bombs_are_refused_at_once(bomb: bytes) -> None:
    with pytest.raises(RemoteError):
        decode(bomb)


@settings(max_examples=400)
@given(st.binary(max_size=300))
def test_any_bytes_are_refused_or_decoded(body: bytes) -> None:
    try:
        message = decode(body)
    except RemoteError as error:
        assert str(error).isascii() and len(str(error)) < 300
    else:
        assert decode(encode(message)) == message


@settings(max_examples=300)
@given(st.sampled_from(SAMPLES), st.data())
def test_a_damaged_message_is_refused_or_still_well_formed(message: AnyMessage, data: st.DataObject) -> None:
    body = bytearray(encode(message))
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = decode(bytes(body))
    except RemoteError:
        return
    assert decode(encode(found)) == found


def test_only_bulk_messages_may_be_longer_than_a_control_frame() -> None:
    big = MatchTalk(b"m" * 32, b"x" * 500_000)
    assert decode(encode(big), BULK) == big
    with pytest.raises(RemoteError, match=r"Spectate of \d+ bytes is too long"):
        decode(encode(Spectate(b"m" * 32)), BULK)
    with pytest.raises(LocalError, match="too long"):
        encode(Charter(b"x" * 65_536, (b"s" * 64,)))
    with pytest.raises(LocalError, match="too long"):
        encode(MatchTalk(b"m" * 32, b"x" * MAX_BULK))


def test_a_node_can_always_answer_a_look() -> None:
    members = tuple(MemberInfo(bytes([n]) * 32, ("x" * 128,) * 8, True, True) for n in range(16))
    seats = tuple(SeatInfo(bytes([n]) * 32, "ü" * 64, "human") for n in range(8))
    options: dict[str, OptionValue] = {f"o{n:031}": "ü" * 256 for n in range(32)}
    full = msgspec.structs.replace(VIEW, members=members, seats=seats, options=options, notice="ü" * 400)
    assert decode(encode(Offers((full,) * 8)), BULK) == Offers((full,) * 8)


@given(st.lists(st.binary(min_size=1, max_size=200), max_size=8), st.data())
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(pack_frame, bodies))
    reader, found = FrameReader(), []
    reader.greeted = True
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        reader.feed(stream[:cut])
        stream = stream[cut:]
        while (frame := reader.next()) is not None:
            found.append(frame)
    assert found == [(CONTROL, body) for body in bodies]
    assert reader.kept == 0


def test_the_channel_follows_from_the_length() -> None:
    for size, channel in ((MAX_CONTROL, CONTROL), (MAX_CONTROL + 1, BULK), (MAX_BULK, BULK)):
        reader = FrameReader()
        reader.greeted = True
        reader.feed(pack_frame(b"x" * size))
        assert reader.next() == (channel, b"x" * size)
    with pytest.raises(LocalError):
        pack_frame(b"x" * (MAX_BULK + 1))


@given(st.binary(min_size=6, max_size=64))
def test_any_head_is_refused_or_waits_within_its_bound(head: bytes) -> None:
    reader = FrameReader()
    reader.feed(head)
    try:
        frame = reader.next()
    except RemoteError:
        return
    assert frame is None or len(frame[1]) <= 1024
