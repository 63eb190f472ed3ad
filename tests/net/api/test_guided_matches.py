"""The guided first match of every game, played through the API to the end of its guide, rightly and wrongly."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.clients.text.phrases import load_catalogue
from kontor_games.engine import game_ids, load

from .kit import WAIT, NodeProcess

GAMES = [game for game in game_ids() if "guide" in load_catalogue(game)]


class Learner:
    """Somebody who follows the guide, and tries something else first wherever there is something else."""

    def __init__(self, link: NodeLink, match: str) -> None:
        self.link = link
        self.match = match
        self.seen: dict[int, str] = {}
        self.refusals: list[str] = []
        self.led: set[int] = set()  # steps at which something else could have been chosen

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.link.get(f"matches/{self.match}")
        return found

    def learn(self) -> None:
        """Up to the end of the guide."""
        end = time.monotonic() + 4 * WAIT
        while (guide := (state := self.state())["guide"]) is not None:
            assert time.monotonic() < end, f"stuck at {guide['title']!r} ({guide['wait']}), now {state['now']}"
            assert state["status"] != "over"
            self.seen[guide["step"]] = guide["title"]
            if guide["wait"] == "next":
                self.try_to_draft(state, [])
                self.post("guide", {"do": "next"})
            elif not state["your_turn"] or (guide["wait"] == "turn" and not state["draft"]["steps"]):
                time.sleep(0.03)
            else:
                self.act(state, guide)

    def act(self, state: dict[str, Any], guide: dict[str, Any]) -> None:
        menu, draft = state["menu"], state["draft"]
        if draft["must_commit"] or (guide["wait"] in ("confirm", "turn") and draft["may_commit"]):
            self.post("commit", {})
        else:
            self.try_to_draft(state, guide["choices"])
            if 0 < len(guide["choices"]) < len(menu):
                self.led.add(guide["step"])
            chosen = guide["choices"] or list(range(len(menu)))
            self.post("draft", {"text": menu[chosen[-1]]["text"]})

    def try_to_draft(self, state: dict[str, Any], allowed: list[int]) -> None:
        """Whatever the guide does not wait for is refused with words, and nothing changes."""
        others = [number for number in range(len(state["menu"])) if number not in allowed]
        if not others or not state["your_turn"]:
            return
        with pytest.raises(Refused) as refused:
            self.post("draft", {"text": state["menu"][others[0]]["text"]})
        self.refusals.append(str(refused.value))
        after = self.state()
        assert after["guide"] == state["guide"] and after["draft"] == state["draft"]

    def post(self, what: str, body: dict[str, Any]) -> None:
        self.link.post(f"matches/{self.match}/{what}", body)


@pytest.mark.parametrize("game", GAMES)
def test_the_guide_can_be_followed_to_its_end_and_answers_other_moves_kindly(node: NodeProcess, game: str) -> None:
    link = node.link()
    learner = Learner(link, link.post("guides", {"game": game})["id"])
    learner.learn()
    script = load_catalogue(game)["guide"]
    assert 10 <= len(script["steps"]) <= 15
    # bots may be quicker than whoever asks what the guide says while they play
    for number, step in enumerate(script["steps"], 1):
        assert step["wait"] == "turn" or learner.seen[number] == step["title"]
    assert learner.refusals, "nothing else was ever tried"
    assert learner.state()["status"] == "playing", "the match goes on without the guide"


@pytest.mark.parametrize("game", GAMES)
def test_every_step_names_kinds_that_exist_and_says_something_to_other_choices(game: str) -> None:
    offer = load(game).offer
    for step in load_catalogue(game)["guide"]["steps"]:
        assert set(step.get("kinds", ())) <= {*offer.kinds, *offer.steps}, step["title"]
        assert step["wait"] != "choose" or (step["kinds"] and step["otherwise"]), step["title"]
        assert step.get("look", "") in ("", "board", "desk", "ends"), step["title"]


@pytest.mark.parametrize(("game", "points"), [("hansa", 0), ("joban", 1), ("yokohama", 10)])
def test_whoever_follows_the_guide_does_what_its_words_name(node: NodeProcess, game: str, points: int) -> None:
    """The prepared match offers every choice that a step names: no step lets others pass because its own is missing."""
    link = node.link()
    learner = Learner(link, link.post("guides", {"game": game})["id"])
    learner.learn()
    steps = load_catalogue(game)["guide"]["steps"]
    named = [number for number, step in enumerate(steps, 1) if step["wait"] == "choose" and step.get("elements")]
    assert named and set(named) <= learner.led, "the bots took what the guide speaks of"
    assert learner.state()["points"][0] >= points


def test_a_guide_can_be_left_and_begun_again(node: NodeProcess) -> None:
    link = node.link()
    game = GAMES[0]
    first = link.post("guides", {"game": game})["id"]
    assert link.get(f"matches/{first}")["guide"]["step"] == 1
    link.post(f"matches/{first}/guide", {"do": "end"})
    assert link.get(f"matches/{first}")["guide"] is None
    with pytest.raises(Refused):
        link.post("guides", {"game": "chess"})
