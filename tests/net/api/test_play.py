"""Matches through the API: draft, undo, redo, commit, bots, restarts."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.net.api.matches.hub import MATCHES_AWAKE

from .kit import TWO_AND_A_BOT, Listener, NodeProcess, new_match, state_where

HOT_SEAT = [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}]


def test_a_draft_can_be_undone_and_done_again_and_changes_nothing_for_others(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", HOT_SEAT, seed="draft")
    before = link.get(f"matches/{match}")
    seat = before["seat"]
    assert before["your_turn"] and before["menu"] and before["draft"]["texts"] == []
    entry = before["menu"][0]
    drafted = link.post(f"matches/{match}/draft", {"seat": seat, "text": entry["text"]})
    assert drafted["draft"]["texts"] == [entry["text"]] and drafted["draft"]["can_undo"]
    other = link.get(f"matches/{match}?seat={1 - seat}")
    assert other["draft"]["texts"] == [] and other["ply"] == before["ply"] and not other["your_turn"]
    assert other["digest"] == before["digest"] and other["menu"] == []
    undone = link.post(f"matches/{match}/undo", {"seat": seat})
    assert undone["view"] == before["view"] and undone["draft"]["can_redo"]
    redone = link.post(f"matches/{match}/redo", {"seat": seat})
    assert redone["view"] == drafted["view"]
    assert link.post(f"matches/{match}/discard", {"seat": seat})["draft"]["texts"] == []


def test_what_is_not_allowed_is_explained_and_refused(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", HOT_SEAT, seed="explain")
    state = link.get(f"matches/{match}")
    seat = state["seat"]
    good = link.post(f"matches/{match}/explain", {"seat": seat, "text": state["menu"][0]["text"]})
    assert good["legal"] and good["reason"] is None and good["events"][0]["say"]
    bad = link.post(f"matches/{match}/explain", {"seat": seat, "text": "sell everything"})
    assert not bad["legal"] and bad["reason"]
    with pytest.raises(Refused) as refusal:
        link.post(f"matches/{match}/draft", {"seat": seat, "text": "sell everything"})
    assert refusal.value.status == 409
    for wrong, path in ((1 - seat, "draft"), (1 - seat, "commit")):
        with pytest.raises(Refused) as refusal:
            body = {"seat": wrong, "text": state["menu"][0]["text"]} if path == "draft" else {"seat": wrong}
            link.post(f"matches/{match}/{path}", body)
        assert refusal.value.status == 409
    with pytest.raises(Refused):
        link.post(f"matches/{match}/undo", {"seat": seat})


def play_one_turn(link: NodeLink, match: str) -> dict:
    state = link.get(f"matches/{match}")
    while not state["draft"]["must_commit"]:
        text = state["menu"][0]["text"]
        state = link.post(f"matches/{match}/draft", {"seat": state["seat"], "text": text})
    return link.post(f"matches/{match}/commit", {"seat": state["seat"]})


def test_a_bot_plays_its_turns_through_the_api(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}], seed="bot")
    for _ in range(3):
        state_where(link, match, lambda state: state["to_act"] == 0)
        play_one_turn(link, match)
    log = link.get(f"matches/{match}")["log"]
    assert {0, 1} <= {line["seat"] for line in log}


def test_a_client_that_comes_back_gets_what_it_missed(node: NodeProcess) -> None:
    link = node.link()
    since = link.get("hello")["last"]
    match = new_match(link, "osaka", HOT_SEAT, seed="back")
    play_one_turn(link, match)
    listener = Listener(node.link(), since)
    listener.wait_for(lambda e: e["kind"] == "match" and any(line["seat"] is not None for line in e["lines"]))
    numbers = [event["n"] for event in listener.seen]
    assert numbers == list(range(since + 1, since + 1 + len(numbers)))
    Listener(node.link(), 5).wait_for(lambda e: e["kind"] == "reset")


def test_a_state_names_the_newest_event_that_it_contains(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", HOT_SEAT, seed="feed")
    listener = Listener(node.link(), link.get(f"matches/{match}")["feed"])
    for turn in range(2):
        answer = play_one_turn(link, match)
        assert link.get(f"matches/{match}")["feed"] >= answer["feed"]
        listener.wait_for(lambda event, last=answer["feed"]: event.get("n", 0) >= last)
        own = [event for event in listener.seen if event["kind"] == "match" and event["lines"]]
        assert max(event["lines"][-1]["ply"] for event in own) == answer["ply"] - 1, turn


def test_a_node_that_is_killed_goes_on_where_it_was_draft_included(own_node: NodeProcess) -> None:
    link = own_node.link()
    match = new_match(link, "osaka", TWO_AND_A_BOT)
    port = own_node.port
    for round_ in range(3):
        state = state_where(link, match, lambda state: state["to_act"] in (0, 1))
        drafted = link.post(f"matches/{match}/draft", {"seat": state["seat"], "text": state["menu"][0]["text"]})
        own_node.kill() if round_ % 2 == 0 else own_node.end()
        own_node.start()
        link = own_node.link()
        again = link.get(f"matches/{match}")
        assert own_node.port == port
        for part in ("ply", "digest", "draft", "view", "menu", "log"):
            assert again[part] == {**drafted, "draft": {**drafted["draft"], "can_redo": False}}[part], part
        confirmed = play_one_turn(link, match)
        own_node.kill()
        own_node.start()
        link = own_node.link()
        again = link.get(f"matches/{match}?seat={confirmed['seat']}")
        assert again["log"][: len(confirmed["log"])] == confirmed["log"]


def test_bots_whose_process_is_killed_are_started_again(own_node: NodeProcess) -> None:
    link = own_node.link()
    match = new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}], seed="again")
    assert own_node.process is not None
    for _ in range(2):
        state_where(link, match, lambda state: state["to_act"] == 0)
        os.kill(_bots_of(own_node.process.pid), signal.SIGKILL)
        play_one_turn(link, match)
    state = state_where(link, match, lambda state: state["to_act"] == 0)
    assert 1 in {line["seat"] for line in state["log"]}


def test_matches_that_were_left_keep_no_bots_waiting(own_node: NodeProcess) -> None:
    link = own_node.link()
    seats = [{"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}]
    matches = [new_match(link, "osaka", seats, seed=f"left {number}") for number in range(MATCHES_AWAKE + 8)]
    for match in matches:
        state_where(link, match, lambda state: state["to_act"] == 0)
    assert own_node.process is not None
    threads = Path(f"/proc/{_bots_of(own_node.process.pid)}/task")
    deadline = time.monotonic() + 60
    while len(list(threads.iterdir())) > MATCHES_AWAKE + 2:  # the latest match and the one that takes orders
        assert time.monotonic() < deadline, f"{len(list(threads.iterdir()))} threads"
        time.sleep(0.05)
    play_one_turn(link, matches[0])
    state = state_where(link, matches[0], lambda state: state["to_act"] == 0)
    assert 1 in {line["seat"] for line in state["log"]}, "its bot came back"


def test_an_expert_plays_and_leaves_no_process_behind(own_node: NodeProcess) -> None:
    link = own_node.link()
    match = new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "expert", "name": "Carl"}], seed="deep")
    for _ in range(2):
        state_where(link, match, lambda state: state["to_act"] == 0)
        play_one_turn(link, match)
    state = state_where(link, match, lambda state: state["to_act"] == 0)
    assert 1 in {line["seat"] for line in state["log"]}
    assert own_node.process is not None
    bots = _bots_of(own_node.process.pid)
    workers = _children(bots)
    assert workers, "an expert thinks in processes of its own"
    own_node.kill()
    deadline = time.monotonic() + 30
    while any(map(_is_running, (bots, *workers))):
        assert time.monotonic() < deadline, "processes were left behind"
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def _bots_of(parent: int) -> int:
    """The bots' process, which may still be on its way up."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = _children(parent)
        if children:
            return children[0]
        time.sleep(0.05)
    raise AssertionError("the bots were not started again")


def _children(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def test_a_local_match_is_played_again_with_seats_rotated(node: NodeProcess) -> None:
    link = node.link()
    seats = [{"kind": "greedy", "name": "Anna"}, {"kind": "greedy", "name": "Bob"}]
    match = new_match(link, "osaka", seats, options={"tokens_to_end": 6})
    state_where(link, match, lambda state: state["status"] == "over")
    again = link.post(f"matches/{match}/rematch")["match"]
    state = link.get(f"matches/{again}?seat=none")
    assert [seat["name"] for seat in state["seats"]] == ["Bob", "Anna"] and state["options"]["tokens_to_end"] == 6


def test_a_match_that_is_not_over_is_not_played_again(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", TWO_AND_A_BOT)
    with pytest.raises(Refused, match="not over"):
        link.post(f"matches/{match}/rematch")
