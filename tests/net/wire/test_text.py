"""Names and chat lines: what people may write, and the tricks that end at the door."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import is_loopback, join_address, parse_address, why_not_address
from kontor_games.net.wire.text import MAX_CHAT, MAX_NAME, same_name, why_not_chat, why_not_name

GOOD_NAMES = ["Ann", "Jürgen", "O'Hara-Smith", "李小龍", "Владимир", "أحمد", "दीपा", "Zoë 2", "🦊", "x" * 24, "Nguyễn"]
BAD_NAMES = {
    "": "1 to 24",
    "x" * 25: "1 to 24",
    " Ann": "spaces",
    "Ann ": "spaces",
    "Ann  B": "spaces",
    "Ann\n": "control",
    "A\x00nn": "control",
    "A\x1b[31m": "control",
    "Ann\u202eneB": "direction-changing",
    "Ann\u2066x\u2069": "direction-changing",
    "Ann\u200b": "invisible",
    "Ann\ufeff": "invisible",
    "Ann\u200d": "invisible",
    "Ann\u00ad": "invisible",
    "Ann\ufe0f": "invisible",
    "\u3164": "invisible",
    "A\u2800nn": "invisible",
    "Ann\u2028": "line break",
    "A\u00a0nn": "unusual space",
    "A\ud800": "half a character",
    "A\ue000": "private-use",
    "A\uffff": "unassigned",
    "A\u0300\u0301\u0302": "pile up",
    "Zoe\u0308": "NFC",
    "...": "can be seen",
}


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_names_of_all_scripts_are_welcome(name: str) -> None:
    assert why_not_name(unicodedata.normalize("NFC", name)) is None


@pytest.mark.parametrize("name", sorted(BAD_NAMES))
def test_tricks_with_names_are_refused_with_a_reason(name: str) -> None:
    reason = why_not_name(name)
    assert reason is not None and BAD_NAMES[name] in reason


def test_names_that_look_alike_by_case_or_width_are_the_same() -> None:
    assert same_name("Ann", "ANN") and same_name("Ann", "Ａｎｎ") and same_name("Straße", "STRASSE")
    assert not same_name("Ann", "Anna")


def test_chat_allows_joiners_but_no_tricks() -> None:
    assert why_not_chat("family 👩‍👩‍👧 ❤️ and می‌خواهم") is None
    for line in ("", "   ", "x" * (MAX_CHAT + 1), "a\nb", "a\u202eb", "\x07", "\ud800"):
        assert why_not_chat(line) is not None


@given(st.text(max_size=40))
def test_a_name_let_in_shows_something_and_hides_nothing(name: str) -> None:
    if why_not_name(name) is None:
        assert 0 < len(name) <= MAX_NAME and name.isprintable()
        name.encode()


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:80", "127.0.0.1", 80),
        ("[::1]:65535", "::1", 65535),
        ("table.example:1", "table.example", 1),
        ("[fe80::1%eth0]:4", "fe80::1%eth0", 4),
    ],
)
def test_addresses_are_read_and_written(text: str, host: str, port: int) -> None:
    assert parse_address(text) == (host, port)
    assert join_address(host, port) == text


@pytest.mark.parametrize("text", ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"])
def test_loopback_is_loopback_however_it_is_written(text: str) -> None:
    assert is_loopback(text) and not is_loopback("[::ffff:10.0.0.1]:1") and not is_loopback("localhost:1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "x",
        "x:",
        ":1",
        "x:0",
        "x:65536",
        "x:-1",
        "x:1a",
        "::1:5",
        "[x]:5",
        "[1.2.3.4]:5",
        "a b:5",
        "-a:5",
        "x:٣",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_address(text)
    assert why_not_address(text) is not None
