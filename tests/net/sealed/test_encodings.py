"""Every field of every message against malformed, foreign and extreme values (design group 12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kontor_games.engine.core.chance import Deal, Move
from kontor_games.net.sealed.algebra.group import enc_scalar
from kontor_games.net.sealed.bodies import Body, Bye, Cheat, Gon, Opn, decode, decode_opening, encode, kind
from kontor_games.net.sealed.card_table import CardTable

from .kit import Ring, changed, judge, refused, snapshot
from .test_group import BAD_POINTS, BAD_SCALARS

Situation = tuple[CardTable, int, Body]

POINTS = {"key": "YT", "esc": "FR", "cmp": "K", "mix": "oph", "shr": "S", "rky": "AB"}
SCALARS = {
    "key": "cs",
    "esc": "Ecs",
    "cmp": "cs",
    "mix": "cs",
    "shr": "cs",
    "rky": "cs",
    "giv": "f",
    "bye": "x",
    "opn": "x",
}


def _fork(ring: Ring) -> Ring:
    """The same table again, so that situations do not disturb each other."""
    again = Ring(3)
    for p, body in ring.log:
        again.send(p, body)
        if again.table.complete:
            again.step()
    return again


def _situations() -> dict[str, Situation]:
    """For each type a table that waits for it, and the honest message."""
    out: dict[str, Situation] = {}
    ring = Ring(3)
    while ring.table.task is not None and ring.table.task.kind != "want":
        if ring.table.complete:
            ring.step()
            continue
        for p, name in ring.owing():
            body = ring.players[p].make(name)
            if kind(body) not in out:
                out[kind(body)] = (_fork(ring).table, p, body)
            if name == "rdy" and "cmp" not in out:
                from kontor_games.net.sealed import escrow

                dealt = ring.table.task.got["esc", 1]
                complaint = escrow.complain(b"z" * 32, ring.players[p]._t, ring.table.peers.ctx, p, 1, 0, dealt)
                out["cmp"] = (_fork(ring).table, p, complaint)
        ring.step()
    ring.pump()

    def at(prepare: Callable[[Ring], tuple[int, str]]) -> None:
        fresh = Ring(3).start()
        p, name = prepare(fresh)
        out[name] = (fresh.table, p, fresh.make(p, name))

    def mixing(r: Ring) -> tuple[int, str]:
        r.open(r.mix_want([1, 2]))
        return 0, "mix"

    def drawing(r: Ring) -> tuple[int, str]:
        deck = r.mix([1, 2])
        r.open(Deal(2, ((deck[0], None), (deck[1], None))))
        return 1, "shr"

    def passing(r: Ring) -> tuple[int, str]:
        deck = r.mix([1, 2])
        r.deal((deck[0], 0))
        r.open(Move(3, deck[0], 9, 0, 1))
        return 0, "rky"

    def leaving(r: Ring) -> tuple[int, str]:
        r.vote_out(2)
        return 0, "giv"

    def ending(r: Ring) -> tuple[int, str]:
        for table in r.tables:
            table.finish()
        return 2, "opn"

    for prepare in (mixing, drawing, passing, leaving, ending):
        at(prepare)
    fresh = Ring(3).start()
    out["gon"] = (fresh.table, 0, Gon(1, (2,), (None,)))
    out["bye"] = (fresh.table, 1, Bye(enc_scalar(fresh.secrets()[1])))
    return out


SITUATIONS = _situations()
GONE = (2,)  # whom the votes declare gone where shares are due


def _pieces(fields: dict[str, str], bad: dict[str, bytes]) -> list[Any]:
    return [
        pytest.param(name, field, raw, id=f"{name}.{field} {label}")
        for name, letters in fields.items()
        for field in letters
        for label, raw in bad.items()
    ]


def test_every_type_has_its_situation_and_the_honest_message_passes() -> None:
    assert sorted(SITUATIONS) == sorted(["key", "esc", "cmp", "rdy", "mix", "shr", "rky", "gon", "giv", "bye", "opn"])
    for name, (table, p, body) in SITUATIONS.items():
        again = decode(p, encode(body))
        if name == "cmp":
            with pytest.raises(Cheat, match=r"cmp\.complaint"):
                judge(table, p, again)
        else:
            judge(table, p, again, GONE)


@pytest.mark.parametrize("name, field, raw", _pieces(POINTS, BAD_POINTS))
def test_no_point_field_takes_a_bad_point(name: str, field: str, raw: bytes) -> None:
    table, p, body = SITUATIONS[name]
    good = getattr(body, field)
    for place in {0, len(good) - 32}:
        refused(table, p, changed(body, **{field: good[:place] + raw + good[place + 32 :]}), f"{name}.point", gone=GONE)


@pytest.mark.parametrize("name, field, raw", _pieces(SCALARS, BAD_SCALARS))
def test_no_scalar_field_takes_a_scalar_beyond_the_order(name: str, field: str, raw: bytes) -> None:
    table, p, body = SITUATIONS[name]
    good = getattr(body, field)
    for place in {0, len(good) - 32}:
        refused(
            table, p, changed(body, **{field: good[:place] + raw + good[place + 32 :]}), f"{name}.scalar", gone=GONE
        )


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_no_byte_field_takes_another_length(name: str) -> None:
    table, p, body = SITUATIONS[name]
    fields = msgpack.unpackb(encode(body))
    for field, good in fields.items():
        if isinstance(good, bytes):
            for raw in (good[:-1], good + b"\0", good[:-32], good + bytes(32), b""):
                _refused_raw(table, p, msgpack.packb({**fields, field: raw}), f"{name}.form")


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_no_field_takes_another_type(name: str) -> None:
    table, p, body = SITUATIONS[name]
    fields = msgpack.unpackb(encode(body))
    for field, good in fields.items():
        if field == "t":
            continue
        wrong: list[Any] = [None, "x" * 32, 1.5, {}, [[]], True, -1, 2**31, 2**63, bytes(7)]
        if isinstance(good, int):
            wrong = [value for value in wrong if type(value) is not int or not 0 <= value < 2**31]
        elif isinstance(good, list):
            wrong += [[True], [None, None, None], ["a"], [9]]
        else:
            wrong += [7, good.hex()]
        for value in wrong:
            _refused_raw(table, p, msgpack.packb({**fields, field: value}), f"{name}.form")


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_the_key_set_is_exact_and_the_encoding_unique(name: str) -> None:
    table, p, body = SITUATIONS[name]
    fields = msgpack.unpackb(encode(body))
    form = f"{name}.form"
    _refused_raw(table, p, msgpack.packb({**fields, "extra": 1}), form)
    for field in fields:
        less = {key: value for key, value in fields.items() if key != field}
        _refused_raw(table, p, msgpack.packb(less), "body.form" if field == "t" else form)
    _refused_raw(table, p, msgpack.packb(dict(reversed(fields.items()))), form)
    _refused_raw(table, p, encode(body) + b"\0", form, "body.form")
    _refused_raw(table, p, encode(body)[:-1], form, "body.form")
    first = msgpack.packb(fields)[:1]
    doubled = bytes([first[0] + 1]) + encode(body)[1:] + msgpack.packb("t") + msgpack.packb(name)
    _refused_raw(table, p, doubled, form)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc0",
        b"\x93\x01\x02\x03",
        msgpack.packb({"t": "xyz"}),
        msgpack.packb({"t": 1}),
        msgpack.packb({1: 2}),
        msgpack.packb({b"t": "key"}),
        b"\x91" * 5000,
        b"\x81\xa1t\xa2\xff\xfe",
        msgpack.packb({"t": msgpack.ExtType(1, b"x")}),
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
    ],
)
def test_what_is_no_body_is_refused(raw: bytes) -> None:
    with pytest.raises(Cheat) as cheat:
        decode(3, raw)
    assert (cheat.value.peer, cheat.value.code) == (3, "body.form")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_body_or_refused(raw: bytes) -> None:
    for reader in (decode, decode_opening):
        try:
            body = reader(0, raw)
        except Cheat as cheat:
            assert cheat.code.endswith(".form")
        else:
            assert encode(body) == raw


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(SITUATIONS)), st.data())
def test_a_mutated_message_is_refused_or_means_the_same(name: str, data: st.DataObject) -> None:
    table, p, body = SITUATIONS[name]
    raw = bytearray(encode(body))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    before = snapshot(table)
    try:
        again = decode(p, bytes(raw))
        judge(table, p, again, GONE)
    except Cheat:
        pass
    else:
        # votes are free to say something else; everything with a proof is not
        assert bytes(raw) == encode(body) or name == "gon" or (name == "giv" and again.f == body.f)  # type: ignore[union-attr]
    assert snapshot(table) == before


def test_a_vote_must_be_sorted_without_its_sender_and_among_the_active() -> None:
    table, p, _ = SITUATIONS["gon"]
    for w in ((0,), (2, 1), (2, 2), (5,), (0, 2)):
        refused(table, p, Gon(1, w, (None,) * len(w)), "gon.form")
    refused(table, p, Gon(1, (2,), ()), "gon.form")
    refused(table, p, Gon(1, (2,), (None, None)), "gon.form")


def test_the_secret_zero_is_refused() -> None:
    for name, cls in (("bye", Bye), ("opn", Opn)):
        table, p, _ = SITUATIONS[name]
        refused(table, p, cls(bytes(32)), f"{name}.key")


def _refused_raw(table: CardTable, p: int, raw: bytes, *codes: str) -> None:
    before = snapshot(table)
    with pytest.raises(Cheat) as cheat:
        judge(table, p, decode(p, raw), GONE)
    assert cheat.value.peer == p and cheat.value.code in codes, cheat.value.code
    assert snapshot(table) == before


def test_openings_are_decoded_strictly() -> None:
    good = {"r": 3, "S": bytes(32), "c": bytes(32), "s": bytes(32)}
    assert decode_opening(0, msgpack.packb(good)).r == 3
    for field in good:
        for value in (None, True, -1, 2**31, "x", bytes(31), bytes(33)):
            if field == "S" and isinstance(value, bytes):
                continue  # its length follows from public state
            with pytest.raises(Cheat, match=r"shr\.form"):
                decode_opening(0, msgpack.packb({**good, field: value}))
    with pytest.raises(Cheat, match=r"shr\.form"):
        decode_opening(0, msgpack.packb({"t": "shr", **good}))
    assert msgspec.msgpack.decode(msgpack.packb(good)) == good
