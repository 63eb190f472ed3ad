"""Records in the database: a table's record is the keeper's value with the lobby's own fields, in bytes of before."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from kontor_games.lobby.model.records import TABLE, Member, TableRecord
from kontor_games.lobby.store.sqlite import SqliteStore
from kontor_games.net.wire.messages import Clauses, SeatInfo
from tests.frozen.facts import FILES

from .bench import done

FIELDS = (
    "id host game options seats recovery spectators phase revision notice members terms order signatures sign_by "
    "wake_at visibility code note since active removed ends clauses is_over kept_for"
)


def test_the_fields_of_a_table_stay_where_they_are_in_the_file() -> None:
    assert TableRecord.__struct_fields__ == tuple(FIELDS.split())
    assert Member.__struct_fields__ == ("key", "addresses", "nonce", "lost_at", "sig", "name", "mark", "protocol")


def test_tables_of_a_database_of_before_are_written_as_they_were_read_with_later_fields_behind(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    path.write_bytes((FILES / "lobby.db").read_bytes())
    store = SqliteStore(path)
    found = done(store.scan(TABLE.name, limit=100))
    assert len(found) == 2
    for _, record in found:
        before = msgspec.msgpack.decode(record.data)
        now = msgspec.msgpack.decode(msgspec.msgpack.encode(TABLE.decode(record.data)))
        assert (now[: len(before)], now[len(before) :]) == (before, [False, []])
    done(store.close())


def test_every_field_of_a_table_is_packed_at_its_place() -> None:
    member = Member(b"k", ("a:1",), b"n", 1.5, b"s", "Anna", "mark", protocol=2)
    table = TableRecord("T", b"h", "osaka", {"length": 2}, (SeatInfo(b"k" * 32, "Anna", "human"), None), "none", True)
    table = replace(table, phase="started", revision=7, notice="why", members=(member,), terms=b"t", order=(b"k",))
    table = replace(table, signatures=(b"g",), sign_by=3.5, wake_at=9, visibility="invite", code="C", note="N")
    table = replace(table, since=1, active=2, removed=(b"r",), ends=3, clauses=Clauses(grace=90), is_over=True)
    table = replace(table, kept_for=(b"k",))
    packed = msgspec.msgpack.encode(table)
    plain = msgspec.msgpack.decode(packed)
    assert plain[10] == [[b"k", ["a:1"], b"n", 1.5, b"s", "Anna", "mark", 2]]
    assert plain[:4] == ["T", b"h", "osaka", {"length": 2}] and plain[5:10] == ["none", True, "started", 7, "why"]
    assert plain[11:23] == [b"t", [b"k"], [b"g"], 3.5, 9, "invite", "C", "N", 1, 2, [b"r"], 3]
    assert plain[24:] == [True, [b"k"]] and TABLE.decode(packed) == table
