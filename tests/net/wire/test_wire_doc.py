"""docs/wire.md says what the code does: its examples hold, and no message or field is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec

from kontor_games.net.links.limits import LinkLimits
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.frames import MAX_BULK, MAX_CONTROL, MAX_GREETING, pack_frame
from kontor_games.net.wire.identity import KINDS, fingerprint, fingerprint_words, six_words
from kontor_games.net.wire.lan_offer import Announcement, write_offer
from kontor_games.net.wire.messages import AnyMessage, MemberInfo, Ping, SeatInfo, encode
from kontor_games.net.wire.terms import Terms, decode_terms
from tests.worlds.doubles import identity

TEXT = (Path(__file__).parents[3] / "docs" / "wire.md").read_text()


def example(label: str) -> str:
    """The value beside a label in one of the example blocks."""
    found = re.search(rf"^{re.escape(label)} {{2,}}(.+)$", TEXT, re.MULTILINE)
    assert found, f"no example for {label}"
    return found[1].strip()


def test_the_examples_of_identity_hold() -> None:
    ann = identity(1)
    assert example("private key 00…01").endswith(ann.key.hex())
    assert example("fingerprint") == fingerprint(ann.key)
    assert TEXT.count(fingerprint_words(ann.key)) == 1
    assert example('sign("terms", "abc")') == ann.sign("terms", b"abc").hex()
    assert all(f"`{kind}`" in TEXT for kind in KINDS)


def test_the_examples_of_frames_and_terms_hold() -> None:
    assert example("ping 7").replace(" ", "") == pack_frame(encode(Ping(7))).hex()
    raw = bytes.fromhex(example("terms"))
    assert decode_terms(raw).game == "osaka"
    assert example("match id") == match_id(raw).hex()
    assert six_words(match_id(raw)) in TEXT
    plain, more = (decode_terms(bytes.fromhex(example(label))) for label in ("version 2", "with more"))
    assert plain == msgspec.structs.replace(decode_terms(raw), version=2)
    assert more.clauses is not None and more.guests and more.package and more.game == plain.game


def test_every_message_is_listed_with_all_its_fields_and_defaults() -> None:
    for message in get_args(AnyMessage):
        tag = message.__struct_config__.tag
        row = re.search(rf"^\| `{tag}` \|(.*?) \|", TEXT, re.MULTILINE)
        assert row, f"{tag} is not in the table"
        assert re.findall(r"`(\w+)`", re.sub(r"\[.*?\]", "[]", row[1])) == list(message.__struct_encode_fields__), tag
        defaults = sum(field.default is not msgspec.NODEFAULT for field in msgspec.structs.fields(message))
        assert row[1].count(" = ") == defaults, tag


def test_records_and_terms_are_listed_in_order() -> None:
    for record, label in ((SeatInfo, "Seat record:"), (MemberInfo, "Member record:")):
        line = re.search(rf"{label} (.*?)\.(?: |\n)", TEXT)
        assert line and re.findall(r"`(\w+)`", line[1]) == list(record.__struct_encode_fields__)
    section = TEXT[TEXT.index("| key | value |") :]
    assert (
        tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))[: len(Terms.__struct_fields__)]
        == Terms.__struct_fields__
    )


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (MAX_CONTROL, MAX_BULK, MAX_GREETING):
        assert f"{bound:,}" in TEXT
    limits = LinkLimits()
    for words in (
        f"{limits.byte_rate / 2**20:g} MiB/s, {limits.byte_burst / 2**20:g} MiB at once",
        f"{limits.message_rate:,.0f}/s, {limits.message_burst:,.0f} at once",
        f"{limits.outbox // 2**20} MiB, {limits.stall:g} s",
        f"{limits.pending}, and {limits.pending_returning} from",
        f"strangers | {limits.visitors}",
        f"{limits.connect_rate:g}/s, {limits.connect_burst:g} at once",
        f"there are {limits.handshake:g} s",
        f"every {limits.ping_every:g} s",
        f"heard for {limits.silence:g} s",
    ):
        assert words in TEXT, words


def test_the_announcement_is_listed_with_all_its_keys() -> None:
    section = TEXT[TEXT.index("## Local network") :]
    offer = Announcement(identity(1).key, "t", "hansa", "Ann", 2, 1)
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(write_offer(offer))
