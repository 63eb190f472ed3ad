"""Each game through the API alone: two people at one node and a bot, with undo, reveals, a lost client and restarts."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games import engine
from kontor_games.engine.core.stream import Stream

from .kit import TWO_AND_A_BOT, Listener, NodeProcess, new_match

SHORT: dict[str, dict[str, Any]] = {
    "hansa": {"max_rounds": 8},
    "joban": {},
    "osaka": {"tokens_to_end": 6},
    "yokohama": {"max_rounds": 6},
}


class People:
    """The people at one screen: they draft, change their minds, look again, and commit."""

    def __init__(self, node: NodeProcess, game: str, options: dict[str, Any], restarts: tuple[int, ...]) -> None:
        self.node = node
        self.link = node.link()
        self.ear = Listener(node.link(), 0)
        self.match = new_match(self.link, game, TWO_AND_A_BOT, options=options, seed=f"people {game}")
        self.rng = Stream("people", game)
        self.restarts = restarts
        self.turns = 0
        self.reveals = 0
        self.log: list[dict[str, Any]] = []

    def play(self, turns: int) -> dict[str, Any]:
        """So many turns of theirs, or the whole match."""
        while self.turns < turns:
            state = self.wait()
            if state["status"] == "over":
                return state
            self.turn(state)
        return self.wait()

    def wait(self) -> dict[str, Any]:
        """The state once a person is to act, or the match is over."""
        while True:
            place = len(self.ear.seen)
            state = self.link.get(f"matches/{self.match}")
            first = state["log_from"]
            told = [{**line, "say": bool(line["say"])} for line in state["log"]]  # it speaks to whoever is to act
            assert told[: len(self.log) - first] == self.log[first:], "the log never changes, it only grows"
            self.log[first:] = told
            if state["your_turn"] or state["status"] == "over":
                return state
            self.ear.wait_for(lambda event: event.get("id") == self.match, place)

    def turn(self, state: dict[str, Any]) -> None:
        seat = state["seat"]
        self.turns += 1
        while not state["draft"]["must_commit"]:
            entry = state["menu"][self.rng.below(len(state["menu"]))]
            drafted = self.ask("draft", {"seat": seat, "text": entry["text"]})
            texts = [*state["draft"]["texts"], *entry["text"].split("; ")]
            assert drafted["draft"]["texts"][: len(texts)] == texts
            assert all(step["forced"] for step in drafted["draft"]["steps"][len(state["draft"]["steps"]) + 1 :])
            assert drafted["ply"] == state["ply"] and drafted["digest"] == state["digest"]
            assert not entry["reveals"] or drafted["draft"]["must_commit"]
            self.reveals += entry["reveals"]
            if self.rng.below(4) == 0:
                undone = self.ask("undo", {"seat": seat})
                assert undone["view"] == state["view"] and _texts(undone) == _texts(state)
                assert self.ask("redo", {"seat": seat})["view"] == drafted["view"]
            state = drafted
            if self.rng.below(8) == 0:
                state = self.come_back(state)
        self.ask("commit", {"seat": seat})

    def come_back(self, state: dict[str, Any]) -> dict[str, Any]:
        """The client goes away in mid-draft and comes back; sometimes the node does too."""
        self.link.close()
        if self.turns in self.restarts:
            self.restarts = tuple(turn for turn in self.restarts if turn != self.turns)
            self.node.kill() if self.rng.below(2) else self.node.end()
            self.node.start()
        self.link = self.node.link()
        self.ear = Listener(self.node.link(), 0)
        again = self.link.get(f"matches/{self.match}")
        assert again["view"] == state["view"] and again["draft"]["texts"] == state["draft"]["texts"]
        return again

    def ask(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self.link.post(f"matches/{self.match}/{what}", body)
        return answer


def _texts(state: dict[str, Any]) -> list[str]:
    """The menu without effects, which are told while there is time."""
    return [entry["text"] for entry in state["menu"]]


@pytest.mark.parametrize("game", engine.game_ids())
def test_two_people_and_a_bot_play_through_the_api(game: str, own_node: NodeProcess) -> None:
    people = People(own_node, game, SHORT.get(game, {}), restarts=(2, 3, 4, 5))
    state = people.play(8)
    assert {line["seat"] for line in people.log} >= {0, 1, 2}
    assert all(line["say"] or line["seat"] is not None for line in people.log)
    assert state["options"] == engine.load(game).check_options(SHORT.get(game, {}), 3)


@pytest.mark.long
@pytest.mark.parametrize("game", engine.game_ids())
def test_a_whole_match_of_two_people_and_a_bot_through_the_api(game: str, own_node: NodeProcess) -> None:
    people = People(own_node, game, SHORT.get(game, {}), restarts=tuple(range(2, 40, 4)))
    state = people.play(10_000)
    assert state["status"] == "over" and state["result"]["winners"]
    assert people.reveals or game != "osaka"  # there every new market is one
    replays = people.link.get("replays")["replays"]
    replay = people.link.get(f"replays/{replays[0]['id']}")
    assert replay["plies"] == state["ply"] and replay["result"] == state["result"] and replay["opened"]
    verdict = people.link.post(f"replays/{replays[0]['id']}/verify")
    assert verdict["status"] == "consistent", verdict
    at = people.link.get(f"replays/{replays[0]['id']}/at/{state['ply']}?seat=0")
    assert at["digest"] == state["digest"]
