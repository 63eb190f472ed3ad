"""A node that is killed between any two calls has lost nothing that it had confirmed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients.node.node_link import NodeLink
from kontor_games.engine.core.stream import Stream

from .kit import NodeProcess, new_match, state_where

Call = Callable[[NodeLink], None]
TWO = [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}]


class Evening:
    """Somebody uses a node; after every call it is known what the node must still know."""

    def __init__(self, game: str, node: NodeProcess) -> None:
        self.node = node
        self.rng = Stream("killed", game)
        self.game = game
        self.match = ""
        self.confirmed: dict[str, Any] = {}  # what the last answer about the match said
        self.settings: dict[str, Any] = {}
        self.replays: list[str] = []

    def calls(self) -> Iterator[Call]:
        yield self.change_settings
        yield self.begin
        for turn in range(6):
            yield self.draft
            if turn % 2:
                yield self.undo
                yield self.redo
            while not self.confirmed["draft"]["must_commit"]:
                yield self.draft
            if turn == 4:
                yield self.discard
                while not self.confirmed["draft"]["must_commit"]:
                    yield self.draft
            yield self.commit
        yield self.bring_replay
        yield self.leave

    def change_settings(self, link: NodeLink) -> None:
        self.settings = link.put("settings", {"name": "Anna", "theme": "dark", "client": {"sound": True}})

    def begin(self, link: NodeLink) -> None:
        self.match = new_match(link, self.game, TWO, seed="killed")
        self.confirmed = link.get(f"matches/{self.match}")

    def _ask(self, link: NodeLink, verb: str, **more: Any) -> None:
        self.confirmed = link.post(f"matches/{self.match}/{verb}", {"seat": self.confirmed["seat"], **more})

    def draft(self, link: NodeLink) -> None:
        """Choose something; in a turn whose steps all followed by themselves nothing is left to choose."""
        menu = self.confirmed["menu"]
        if self.confirmed["draft"]["must_commit"] and not menu:
            return
        self._ask(link, "draft", text=menu[self.rng.below(len(menu))]["text"])

    def undo(self, link: NodeLink) -> None:
        if self.confirmed["draft"]["can_undo"]:
            self._ask(link, "undo")

    def redo(self, link: NodeLink) -> None:
        """Only a draft is kept; what was undone is not. So it is drafted again if the node was killed in between."""
        if self.confirmed["draft"]["can_redo"]:
            self._ask(link, "redo")
        else:
            self.draft(link)

    def discard(self, link: NodeLink) -> None:
        self._ask(link, "discard")

    def commit(self, link: NodeLink) -> None:
        self._ask(link, "commit")
        self.confirmed = link.get(f"matches/{self.match}")

    def bring_replay(self, link: NodeLink) -> None:
        """The file of the match so far, brought back as somebody else's."""
        owner = self.node.as_owner()
        status, _, file = self.node.raw("GET", f"/api/1/matches/{self.match}/file", owner)
        assert status == 200
        status, _, answer = self.node.raw("POST", "/api/1/replays", owner, file)
        assert status == 200, answer
        self.replays.append(json.loads(answer)["id"])

    def leave(self, link: NodeLink) -> None:
        link.post(f"matches/{self.match}/bye")
        self.confirmed = {}
        state_where(link, self.match, lambda state: state["status"] == "over")

    def check(self, link: NodeLink) -> None:
        """Everything confirmed is there."""
        if self.settings:
            assert link.get("settings") == self.settings
        if self.confirmed:
            now = link.get(f"matches/{self.match}?seat={self.confirmed['seat']}")
            told = {**self.confirmed, "draft": {**self.confirmed["draft"], "can_redo": False}}
            for part in ("ply", "digest", "view", "draft", "log", "to_act"):
                assert now[part] == told[part], part
            # how many effects are told along with a menu depends on how busy the machine is
            assert [entry["text"] for entry in now["menu"]] == [entry["text"] for entry in told["menu"]]
            self.confirmed = now
        elif self.match:
            (row,) = (row for row in link.get("matches")["matches"] if row["id"] == self.match)
            assert row["status"] == "over"
        assert set(self.replays) <= {replay["id"] for replay in link.get("replays")["replays"]}


@pytest.mark.long
@pytest.mark.parametrize("game", ["osaka", "joban", "yokohama", "hansa"])
def test_a_kill_between_any_two_calls_loses_nothing_confirmed(game: str, tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "home").start()
    evening = Evening(game, node)
    kills = 0
    try:
        for call in evening.calls():
            call(node.link())
            node.kill()
            node.start()
            kills += 1
            evening.check(node.link())
    finally:
        node.end()
    print(f"{game}: killed {kills} times, nothing lost")
    assert kills > 20
