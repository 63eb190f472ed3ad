"""Talk at a table: who may speak, under which name, how much, and what a member believes of its keeper."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.net.table.table_state import MemberState, TableState
from kontor_games.net.table.table_talk import HEARD_LINES, KEPT_LINES, SPEAKING, HeardTalk, KeptTalk
from kontor_games.net.wire.messages import SeatInfo, TableSaid, TableSay

HOST, GUEST, BOTS, STRANGER = (bytes([number]) * 32 for number in (1, 2, 3, 4))
STATE = TableState(
    "t1",
    HOST,
    "osaka",
    {},
    (SeatInfo(HOST, "Anna", "human"), SeatInfo(BOTS, "Robot", "greedy"), None),
    "majority",
    True,
    members=(MemberState(HOST, ()), MemberState(GUEST, ()), MemberState(BOTS, ())),
)


def say(text: str = "Hello", name: str = "Bruno") -> TableSay:
    return TableSay("t1", name, text)


def test_members_speak_under_the_name_on_their_seat_and_others_do_not_speak() -> None:
    talk = KeptTalk()
    assert talk.why_not(STATE, GUEST, say(), 0) is None
    assert talk.said(STATE, HOST, say(name="Somebody else")).name == "Anna", "a seat's name cannot be taken off"
    assert talk.said(STATE, GUEST, say()).name == "Bruno"
    assert talk.said(STATE, BOTS, say(name="Clara")).name == "Clara", "a bot's name is not its owner's"
    assert [line.number for line in talk.lines] == [0, 1, 2]
    assert "not at this table" in (talk.why_not(STATE, STRANGER, say(), 0) or "")
    for phase in ("started", "closed"):
        assert talk.why_not(replace(STATE, phase=phase), GUEST, say(), 0)
    assert talk.why_not(STATE, GUEST, say(" "), 0) and talk.why_not(STATE, GUEST, say("a\u202eb"), 0)
    assert talk.why_not(STATE, GUEST, say(name="\u200b"), 0)


def test_a_flood_ends_at_its_author_and_only_the_last_lines_are_kept() -> None:
    talk = KeptTalk()
    heard = [talk.why_not(STATE, GUEST, say(), 0) for _ in range(100)]
    assert heard.count(None) == SPEAKING.burst and "too much" in (heard[-1] or "")
    assert talk.why_not(STATE, HOST, say(), 0) is None, "the others can speak"
    assert talk.why_not(STATE, GUEST, say(), 2 / SPEAKING.per_second) is None, "and so can they, after a while"
    for number in range(KEPT_LINES + 7):
        talk.said(STATE, HOST, say(str(number)))
    assert len(talk.lines) == KEPT_LINES and talk.lines[-1].text == str(KEPT_LINES + 6)


def test_a_member_takes_each_line_once_and_none_that_people_must_not_see() -> None:
    talk = HeardTalk()
    line = TableSaid("t1", 4, GUEST, "Bruno", "Hello")
    assert talk.heard(line) and not talk.heard(line), "said again after a new link"
    assert not talk.heard(replace(line, number=3)), "what is late is not put behind what is newer"
    assert not talk.heard(replace(line, number=5, text="\x1b[2J"))
    assert not talk.heard(replace(line, number=5, name="x" * 40))
    for number in range(5, 5 + 2 * HEARD_LINES):
        assert talk.heard(replace(line, number=number))
    assert len(talk.lines) == HEARD_LINES
