"""Every example of docs/local-api.md against a running node."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.net.api.guests import party_routes
from kontor_games.net.api.routes import (
    about_routes,
    analysis_routes,
    doctor_routes,
    guide_routes,
    hint_routes,
    match_routes,
    people_routes,
    rematch_routes,
    replay_routes,
    table_routes,
)

from .kit import ROOT, Listener, NodeProcess, new_match, state_where

DOC = (ROOT / "docs" / "local-api.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(http|json)(?: ([a-z -]+))?\n(.*?)```", re.S)
LOOSE = {
    "view",
    "result",
    "options",
    "client",
    "libraries",
    "rules",
    "events",
    "effect",
    "log",
}  # a game's own data, or lists that may be empty


def examples() -> tuple[dict[str, tuple[str, str, str, Any]], dict[str, Any]]:
    """Requests by name, each with the answer below it (None: a State or a Table), and the named answers."""
    asked: dict[str, tuple[str, str, str, Any]] = {}
    named: dict[str, Any] = {}
    blocks = list(BLOCK.finditer(DOC))
    for place, block in enumerate(blocks):
        kind, name, text = block.groups()
        if kind == "json" and name:
            named[name] = json.loads(text)
        if kind == "http":
            head, _, body = text.strip().partition("\n")
            method, path = head.split(" ")
            after = blocks[place + 1] if place + 1 < len(blocks) else None
            follows = after is not None and after.start() == block.end() + 1 and after.group(1) == "json"
            asked[name] = (method, path, body, json.loads(after.group(3)) if follows and after else None)
    return asked, named


def same_shape(example: Any, found: Any, where: str = "answer") -> None:
    """The same keys and the same kinds of values; null may stand for what is not there."""
    if isinstance(example, dict):
        assert isinstance(found, dict), where
        missing = set(example) - set(found)
        assert not missing, f"{where} lacks {missing}"
        for key, value in example.items():
            if key not in LOOSE:
                same_shape(value, found[key], f"{where}.{key}")
    elif isinstance(example, list):
        assert isinstance(found, list), where
        for value in found[:3] if example else []:
            same_shape(example[0], value, f"{where}[]")
    elif example is not None and found is not None:
        assert type(example) is type(found), f"{where}: {found!r} is not like {example!r}"


@pytest.fixture(scope="module")
def doc() -> tuple[dict[str, tuple[str, str, str, Any]], dict[str, Any]]:
    return examples()


class Reader:
    """Sends the examples with the ids of this very node in place of the capital words."""

    def __init__(self, node: NodeProcess, asked: dict[str, tuple[str, str, str, Any]]) -> None:
        self._node = node
        self._asked = asked
        self.words: dict[str, str] = {}
        self.sent: set[str] = set()

    def send(self, name: str) -> Any:
        method, path, body, answer = self._asked[name]
        self.sent.add(name)
        status, _, raw = self._node.raw(method, self._fill(path), self._node.as_owner(), self._fill(body).encode())
        assert status == 200, (name, status, raw)
        found = json.loads(raw)
        if answer is not None:
            same_shape(answer, found, name)
        return found

    def _fill(self, text: str) -> str:
        for word, value in self.words.items():
            text = re.sub(rf"\b{word}\b", lambda _, value=value: value, text)
        return text


def test_every_example_is_true(own_node: NodeProcess, doc: Any, tmp_path: Path) -> None:
    asked, named = doc
    reader = Reader(own_node, asked)
    ear = Listener(own_node.link(), 0)
    for name in ("hello", "games", "change-settings", "settings", "link", "matches", "replays", "lobby"):
        reader.send(name)
    reader.words["REPLAY"] = upload(own_node, tmp_path)
    for name in ("analyse", "analysis", "stop-analysis"):  # before people play: beside them there are none
        same_shape(asked["analyse"][3], reader.send(name), name)
    match = reader.send("new-match")["id"]
    reader.words["MATCH"] = match
    ear.wait_for(lambda e: e.get("id") == match and e.get("to_act") in (0, 1))
    reader.words["SEAT"] = str(own_node.link().get(f"matches/{match}")["seat"])
    reader.send("matches")
    state = reader.send("state")
    example = asked["state"][3]
    for line in state["menu"][0]["effect"]:
        same_shape(example["menu"][0]["effect"][0], line)
    same_shape(example["log"][0], state["log"][0])
    reader.words["TEXT"] = json.dumps(state["menu"][0]["text"])
    for name in ("draft", "undo", "redo", "discard", "explain", "log"):
        answer = reader.send(name)
        if name not in ("explain", "log"):
            same_shape(example, {**state, **answer})
    reader.send("draft")
    state = own_node.link().get(f"matches/{match}")
    while not state["draft"]["must_commit"]:
        state = own_node.link().post(f"matches/{match}/draft", {"text": state["menu"][0]["text"]})
    same_shape(example, reader.send("commit"))
    reader.send("staged")
    other = new_match(own_node.link(), "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}])
    state = own_node.link().get(f"matches/{other}")
    texts: list[str] = []
    while not state["draft"]["must_commit"]:
        texts.append(state["menu"][0]["text"])
        state = own_node.link().post(f"matches/{other}/draft", {"text": texts[-1]})
    own_node.link().post(f"matches/{other}/discard")
    reader.words |= {"MATCH": other, "SEAT": str(state["seat"]), "TEXTS": json.dumps(texts)}
    reader.send("play")
    for name in ("party", "see-party", "end-party"):
        reader.send(name)
    alone = new_match(own_node.link(), "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "greedy"}])
    assert state_where(own_node.link(), alone, lambda now: now["your_turn"])["hints"]
    reader.words["MATCH"] = alone
    reader.send("hint")
    reader.words["TABLE"] = reader.send("new-table")["id"]
    table = asked["table"][3]
    for name in ("table", "tables", "sit", "bot", "rename", "stand", "configure"):
        answer = reader.send(name)
        if name != "tables":
            same_shape(table, answer, name)
    for name in ("ready", "unready"):
        same_shape(table, reader.send(name), name)
    reader.send("leave")
    reader.send("doctor")
    reader.send("people")
    for name in ("replays", "replay", "replay-at", "verify"):
        reader.send(name)
    assert reader.sent == set(asked), "every request of the document was sent"
    kinds = {event["kind"] for event in ear.seen if event["kind"] != "closed"}
    for event in ear.seen:
        if f"event {event['kind']}" in named and not {"signed", "started"} & set(event):
            same_shape(named[f"event {event['kind']}"], event)
    assert {"match", "matches", "table", "analysis", "reset"} <= kinds
    _, _, refusal = own_node.raw("GET", "/api/1/nothing", own_node.as_owner())
    same_shape(named["error"], json.loads(refusal))


def upload(node: NodeProcess, folder: Path) -> str:
    """A finished match of bots, played here."""
    from kontor_games.clients.entry import LocalServices

    play = LocalServices().new_match(
        "osaka", {"tokens_to_end": 6}, [("Anna", "random"), ("Bob", "greedy")], "doc", str(folder / "doc.kontor")
    )
    while not play.is_over:
        play.advance()
    play.close()
    status, _, answer = node.raw("POST", "/api/1/replays", node.as_owner(), (folder / "doc.kontor").read_bytes())
    assert status == 200
    return str(json.loads(answer)["id"])


def test_every_route_is_documented(doc: Any) -> None:
    hub: Any = type("Hub", (), {"home": Path("/nonexistent"), "setup": None, "directory": Path("/nonexistent")})()
    families: list[Any] = [
        about_routes.AboutRoutes(hub, bytes(32), None),  # type: ignore[arg-type]
        match_routes.MatchRoutes(hub, None),  # type: ignore[arg-type]
        table_routes.TableRoutes(hub, None, None),  # type: ignore[arg-type]
        doctor_routes.DoctorRoutes(hub, None),  # type: ignore[arg-type]
        guide_routes.GuideRoutes(hub, None),  # type: ignore[arg-type]
        hint_routes.HintRoutes(hub),
        rematch_routes.RematchRoutes.__new__(rematch_routes.RematchRoutes),
        people_routes.PeopleRoutes.__new__(people_routes.PeopleRoutes),
        replay_routes.ReplayRoutes.__new__(replay_routes.ReplayRoutes),
        analysis_routes.AnalysisRoutes.__new__(analysis_routes.AnalysisRoutes),
        party_routes.PartyRoutes.__new__(party_routes.PartyRoutes),
    ]
    for family in families:
        for route in family.routes():
            last = route.path.rsplit("/", 1)[-1]
            assert re.search(rf"\b{last}\b" if not last.startswith("{") else route.path.split("/")[0], DOC), route.path


def test_the_document_speaks_of_games_that_exist() -> None:
    assert "osaka" in engine.game_ids()
