"""Hints: for one person against bots, from the bots' own process; for nobody else, and whatever that process says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.task import Clock

from kontor_games import engine
from kontor_games.clients.bots.bot_hints import compared
from kontor_games.clients.bots.expert.workers import Workers
from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.net.api.matches.hints import MOST, SECONDS, Hints, why_no_hints
from kontor_games.net.api.matches.shown_local import ShownLocalMatch
from kontor_games.net.api.matches.wording import PlainWording
from kontor_games.net.record.local_match import RecordedMatch

from .kit import TWO_AND_A_BOT, NodeProcess, new_match, state_where

ALONE = [{"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}]


def refusal(link: NodeLink, match: str) -> str:
    with pytest.raises(Refused) as found:
        link.post(f"matches/{match}/hint")
    assert found.value.status == 409
    return str(found.value)


def test_a_person_against_bots_is_told_an_entry_of_the_menu_and_nothing_happens(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", ALONE, seed="hint")
    state = state_where(link, match, lambda now: now["your_turn"])
    assert state["hints"]
    told = link.post(f"matches/{match}/hint")
    phrases = {entry["text"]: entry["phrase"] for entry in state["menu"]}
    assert phrases[told["text"]] == told["phrase"] and phrases[told["next"]["text"]] == told["next"]["phrase"]
    assert told["text"] != told["next"]["text"]
    assert 0 <= told["chance"] <= 100 and told["worlds"] > 0
    after = link.get(f"matches/{match}")
    assert (after["ply"], after["draft"]) == (state["ply"], state["draft"]), "a hint does nothing"


def test_a_hint_is_about_the_position_that_is_drafted(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "yokohama", ALONE, seed="hint")
    before = state_where(link, match, lambda now: now["your_turn"])
    link.post(f"matches/{match}/play", {"texts": before["menu"][0]["text"].split("; ")})
    first = state_where(link, match, lambda now: now["your_turn"] and now["ply"] > before["ply"])
    entry = next(each for each in first["menu"] if each["kind"] == "place")
    drafted = link.post(f"matches/{match}/draft", {"text": entry["text"]})
    assert drafted["draft"]["can_undo"] and drafted["menu"]
    told = link.post(f"matches/{match}/hint")
    assert told["text"] in {each["text"] for each in drafted["menu"]}


def test_people_who_play_together_get_none(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", TWO_AND_A_BOT, seed="hint")
    assert not state_where(link, match, lambda now: now["your_turn"])["hints"]
    assert "one person against bots" in refusal(link, match)


def test_while_a_guide_leads_there_are_none(node: NodeProcess) -> None:
    link = node.link()
    match = link.post("guides", {"game": "osaka"})["id"]
    assert not link.get(f"matches/{match}")["hints"]
    assert "guide" in refusal(link, match)
    link.post(f"matches/{match}/guide", {"do": "end"})
    assert state_where(link, match, lambda now: now["your_turn"])["hints"]


class Pipe:
    """In place of the bots' process: remembers its orders, and says what the test wants."""

    def __init__(self) -> None:
        self.orders: list[dict[str, Any]] = []
        self.on_line: Any = None
        self.runs = True

    def ask(self, match: str, order: dict[str, Any]) -> bool:
        self.orders.append(order)
        return self.runs

    def say(self, **answer: Any) -> None:
        self.on_line(json.dumps(answer).encode())


class Table:
    """A local match and its hints, on a clock of the test's own."""

    def __init__(self, folder: Path, kinds: tuple[str, ...] = ("person", "greedy")) -> None:
        self.clock, self.pipe = Clock(), Pipe()
        self.hints = Hints(self.clock, self.pipe, PlainWording())  # type: ignore[arg-type]
        self.folder = folder
        self.made: list[ShownLocalMatch] = []
        self.shown = self.match(kinds)

    def match(self, kinds: tuple[str, ...] = ("person", "greedy")) -> ShownLocalMatch:
        number = len(self.made)
        seats = [(f"Player {place}", kind) for place, kind in enumerate(kinds)]
        path = self.folder / f"{number}.kontor"
        table = RecordedMatch.create(path, engine.load("osaka"), {}, seats, bytes([number]) * 32)
        shown = ShownLocalMatch(table, lambda _: None, lambda job: job())
        self.made.append(shown)
        shown.go_on()
        while shown.to_act not in shown.mine:
            assert shown.to_act is not None
            shown.play([engine.allowed(shown.game, shown.state, shown.known(shown.to_act))[0]])
        return shown

    def ask(self) -> list[Any]:
        """What the person gets, once it is there: an answer or a failure."""
        found: list[Any] = []
        self.hints.ask(self.shown, self.shown.mine).addBoth(found.append)
        return found

    def texts(self) -> list[list[str]]:
        notation = self.shown.game.notation
        draft = self.shown.draft
        return [[notation.say(draft.state, choice.actions[0])] for choice in draft.choices(self.shown.mine[0])]

    def close(self) -> None:
        for shown in self.made:
            shown.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.close()


def test_the_order_holds_what_the_person_knows_and_no_token(table: Table) -> None:
    table.ask()
    (order,) = table.pipe.orders
    (seat,) = table.shown.mine
    assert set(order) == {"match", "hint", "seat", "ply", "game", "rules", "state", "known"}
    assert dict(order["known"]) == table.shown.draft.known(seat)
    others = set(table.shown.known(1 - seat).items()) - set(table.shown.known(seat).items())
    assert not others & {(slot, face) for slot, face in order["known"]}
    found = compared(order, Workers(0))
    assert found["worlds"] > 0 and all(line["texts"][0] for line in found["lines"])
    table.pipe.say(hint=order["hint"], **found)


def test_an_answer_is_told_once_and_only_to_its_question(table: Table) -> None:
    found = table.ask()
    first, second = table.texts()[:2]
    lines = [{"texts": first, "chance": 48}, {"texts": second, "chance": 41}]
    table.pipe.on_line(b"not JSON")
    table.pipe.say(hint=99, worlds=8, lines=lines)
    table.pipe.say(hint=1, worlds=8, lines=[])
    table.pipe.say(hint=1, worlds=8, lines=[{"texts": first, "chance": 101}])
    assert not found
    table.pipe.say(hint=1, worlds=8, lines=lines)
    assert found[0]["text"] == first[0] and found[0]["chance"] == 48 and found[0]["next"]["chance"] == 41
    table.pipe.say(hint=1, worlds=8, lines=lines)
    assert len(found) == 1 and not table.clock.getDelayedCalls()


@pytest.mark.parametrize("texts", [["win the match"], [""], ["token red"] * 60])
def test_what_the_rules_do_not_allow_is_not_told(table: Table, texts: list[str]) -> None:
    found = table.ask()
    table.pipe.say(hint=1, worlds=8, lines=[{"texts": texts, "chance": 48}])
    assert "no hint was found" in str(found[0].value)


def test_an_answer_about_an_older_position_is_refused(table: Table) -> None:
    found = table.ask()
    first = table.texts()[0]
    table.shown.draft.add(table.shown.mine[0], first[0])
    table.pipe.say(hint=1, worlds=8, lines=[{"texts": first, "chance": 48}])
    assert "has changed" in str(found[0].value)


def test_silence_ends_after_a_while_and_one_may_ask_again(table: Table) -> None:
    found = table.ask()
    with pytest.raises(Exception, match="on its way already"):
        table.ask()
    table.clock.advance(SECONDS + 1)
    assert "in time" in str(found[0].value)
    assert not table.ask()
    table.hints.stop()
    assert not table.clock.getDelayedCalls()


def test_hints_are_bounded_and_refused_while_no_process_runs(table: Table) -> None:
    table.pipe.runs = False
    with pytest.raises(Exception, match="not ready"):
        table.ask()
    table.pipe.runs = True
    for _ in range(MOST):
        assert not table.ask()
        table.shown = table.match()
    with pytest.raises(Exception, match="other matches come first"):
        table.ask()


def test_a_complete_turn_and_the_turn_of_another_have_no_hint(table: Table) -> None:
    (seat,) = table.shown.mine
    while not table.shown.draft.must_commit:
        table.shown.draft.add(seat, table.texts()[0][0])
    with pytest.raises(Exception, match="nothing left to choose"):
        table.ask()
    table.shown.commit()
    if table.shown.to_act != seat:
        with pytest.raises(Exception, match="not your turn"):
            table.ask()


def test_two_people_at_one_machine_are_too_many(tmp_path: Path) -> None:
    both = Table(tmp_path, ("person", "person"))
    both.close()
    assert (
        why_no_hints(both.shown, both.shown.mine) == "hints are for matches of one person against bots on this machine"
    )
