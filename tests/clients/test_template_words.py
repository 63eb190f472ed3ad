"""The places that templates of the catalogue may have."""

from __future__ import annotations

import pytest

from kontor_games.clients.text.phrases import Words

CATALOGUE = {
    "counts": {"traders": "one trader|{n} traders", "merchants": "one merchant|{n} merchants"},
    "names": {
        "agent": {"us": "American agent", "uk": "British agent"},
        "cell": "{0:sign {0} left|in the middle|{0} right}{1:sign , {1} down||, {1} up}",
        "line": ["the row {n:height}", "the column {n}"],
        "height": "{0:sign {0} below|through|{0} above} the middle",
    },
    "phrases": {"place+choose": "Place a {piece} on {route}", "sink": "Sink it"},
    "now": {
        "actions": ["You have {n:one action|{n} actions} left.", "{seat:player} has {n:one action|{n} actions} left."]
    },
}
WORDS = Words("", ["Anna", "Bruno"], CATALOGUE, you=0)


@pytest.mark.parametrize(
    ("template", "fields", "expected"),
    [
        ("{seat:player} {seat:verb hires/hire} one.", {"seat": 0}, "You hire one."),
        ("{seat:player} {seat:verb hires/hire} one.", {"seat": 1}, "Bruno hires one."),
        ("It is over. {seat:player} {seat:verb wins/win}.", {"seat": 0}, "It is over. You win."),
        ("{seat:player} {seat:verb displaces/displace} {owner:whose} trader.", {"seat": 1, "owner": 0},
         "Bruno displaces your trader."),
        ("{seat:player} {seat:verb displaces/displace} {owner:whose} trader.", {"seat": 0, "owner": 1},
         "You displace Bruno’s trader."),
        ("{owner:whose} trader moves.", {"owner": 0}, "Your trader moves."),
        ("{seat:player} {seat:verb moves/move} {owner:whose} trader.", {"seat": 1, "owner": 1},
         "Bruno moves their own trader."),
        ("{seat:player} {seat:verb moves/move} {owner:whose} trader.", {"seat": 0, "owner": 0},
         "You move your trader."),
        ("It stays on {seat:whose} plate.", {"seat": 1}, "It stays on Bruno’s plate."),
        ("Hire {traders,merchants:counts}", {"traders": 2, "merchants": 1}, "Hire 2 traders and one merchant"),
        ("Hire {traders,merchants:counts}", {"traders": 1, "merchants": 0}, "Hire one trader"),
        ("Hire {traders,merchants:counts}", {"traders": 0, "merchants": 0}, "Hire nothing"),
        ("gains {agent:a agent}", {"agent": "us"}, "gains an American agent"),
        ("gains {agent:a agent}", {"agent": "uk"}, "gains a British agent"),
        ("{n:none|one|{n} cards} left", {"n": 0}, "none left"),
        ("{n:none|one|{n} cards} left", {"n": 3}, "3 cards left"),
        ("{n:sign minus {n:one point|{n} points}|no points|{n} points}", {"n": -1}, "minus one point"),
        ("{n:sign minus {n:one point|{n} points}|no points|{n} points}", {"n": 0}, "no points"),
        ("{n:sign minus {n:one point|{n} points}|no points|{n} points}", {"n": 7}, "7 points"),
        ("Build {cell:cell}", {"cell": [-2, 1]}, "Build 2 left, 1 up"),
        ("Build {cell:cell}", {"cell": (0, 0)}, "Build in the middle"),
        ("Score {line:line}", {"line": 0, "n": -3}, "Score the row 3 below the middle"),
        ("Score {line:line}", {"line": 1, "n": 3}, "Score the column 3"),
    ],
)  # fmt: skip
def test_a_template_is_filled(template: str, fields: dict[str, object], expected: str) -> None:
    assert WORDS.fill(template, fields) == expected


def test_a_name_is_a_name_for_somebody_who_only_watches() -> None:
    assert Words("", ["Anna"], CATALOGUE).fill("{seat:player} {seat:verb hires/hire}.", {"seat": 0}) == "Anna hires."


def test_a_phrase_is_found_by_its_name_or_by_the_tags_of_its_actions() -> None:
    assert WORDS.phrase({"piece": "trader", "route": "A–B"}, ["place", "choose"]) == "Place a trader on A–B"
    assert WORDS.phrase({"phrase": "sink"}, ["place"]) == "Sink it"
    assert WORDS.phrase({}, ["unknown"]) is None


def test_what_is_asked_is_said_to_the_reader_or_about_somebody_else() -> None:
    assert WORDS.now({"now": "actions", "n": 2}, 0) == "You have 2 actions left."
    assert WORDS.now({"now": "actions", "n": 1}, 1) == "Bruno has one action left."
    assert WORDS.now({"now": "unknown"}, 1) is None
