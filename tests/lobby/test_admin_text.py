"""Operators' answers as people read them."""

from __future__ import annotations

from kontor_games.lobby.admin.admin_text import mark_of, text_of, width_of
from kontor_games.lobby.settings.config import Config, LimitSettings, RelaySettings
from kontor_games.lobby.settings.reloading import reloaded

AT = 1_700_000_000_000


def person(name: str, mark: str = "") -> dict[str, object]:
    fingerprint = "abcd-efgh-ijkl-mnop-qrst-uvwx-yz23-4567"
    return {"name": name, "mark": mark, "fingerprint": fingerprint, "address": "::1", "here": True, "since": AT}


def test_people_are_a_table_with_marks_and_iso_times() -> None:
    head, first, second = text_of("people", {"people": [person("Anna"), person("\u6c99\u7f85", "abcd")]}).splitlines()
    assert head.split() == ["NAME", "FINGERPRINT", "ADDRESS", "HERE", "SINCE"]
    assert first.split() == ["Anna", "abcd-efgh-ijkl-mnop", "::1", "yes", "2023-11-14T22:13:20Z"]
    assert second.startswith("\u6c99\u7f85 (abcd)  abcd-efgh"), "wide letters take two columns"
    assert width_of(head.partition("FINGERPRINT")[0]) == width_of(second.partition("abcd-efgh")[0])


def test_nothing_that_a_stranger_wrote_steers_the_terminal_or_begins_a_line() -> None:
    shown = text_of("people", {"people": [person("A\x1b[2Jnna\nroot\u202e")], "more": True})
    assert shown.count("\n") == 2 and "\x1b" not in shown and "\u202e" not in shown
    assert shown.endswith("these are the first 1")


def test_targets_are_fingerprints_or_networks() -> None:
    assert mark_of("ban:net:2001:db8::/48") == "2001:db8::/48"
    assert mark_of("ban:key:" + "00" * 32) == mark_of("00" * 32) and len(mark_of("00" * 32)) == 19
    assert text_of("sanctions", {"sanctions": []}) == "no ban or mute is in force"
    log = {"at": AT, "by": "root", "do": "ban", "target": "ban:net:203.0.113.0/24", "named": "203.0.113.0/24"}
    assert text_of("log", {"log": [log]}).splitlines()[1].split() == [
        "2023-11-14T22:13:20Z",
        "root",
        "ban",
        "203.0.113.0/24",
    ]


def test_a_reload_takes_over_what_it_can_and_says_what_it_cannot() -> None:
    old = Config()
    new = Config(
        title="Other",
        data="/elsewhere",
        limits=LimitSettings(max_tables=3, ping_every=1),
        relay=RelaySettings(enabled=False, max_pairs=2),
    )
    found = reloaded(old, new)
    assert found.changed == ("title", "limits.max_tables", "relay.enabled")
    assert found.waiting == ("data", "limits.ping_every", "relay.max_pairs")
    assert found.config.limits.max_tables == 3 and found.config.limits.ping_every == old.limits.ping_every
    assert not found.config.relay.enabled and found.config.relay.max_pairs == old.relay.max_pairs
    assert reloaded(old, old) == (old, (), ())
