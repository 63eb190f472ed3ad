"""What people expect of a table in one room: talk before the match, marks, watchers that stay when somebody goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.clients.node.node_link import Refused

from .kit import state_where
from .test_network import Party, onlooker_beside, play_turn, wait_for_turn


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[Party]:
    party = Party(tmp_path, 3)
    yield party
    party.end()


def test_people_talk_at_a_table_of_the_local_network_before_the_match(trio: Party) -> None:
    host, guest, late = trio.links
    for link, name in zip(trio.links, ("Anna", "Bruno", "Anna"), strict=True):
        link.ask("PUT", "settings", {"name": name})
    table = host.post("tables", {"game": "osaka", "seats": 3})["id"]
    path = f"tables/{table}"
    host.post(f"{path}/sit", {"seat": 0, "name": "Anna"})
    shown = host.get(path)
    assert shown["spectators"] and "Others may watch" in " ".join(said["text"] for said in shown["says"])
    call = {"address": shown["addresses"][0], "fingerprint": shown["fingerprint"]}
    assert guest.post("join", call)["id"] == table
    guest.post(f"{path}/chat", {"text": "Is this the right table?"})
    trio.ears[0].wait_for(lambda e: e["kind"] == "chat" and e["id"] == table)  # else both may speak at once
    host.post(f"{path}/chat", {"text": "Yes, sit down"})
    trio.ears[1].wait_for(lambda e: e["kind"] == "chat" and e["id"] == table and e["line"]["text"].startswith("Yes"))
    lines = [{"name": "Bruno", "mark": "", "text": "Is this the right table?"}]
    lines.append({"name": "Anna", "mark": "", "text": "Yes, sit down"})
    assert host.get(path)["chat"] == guest.get(path)["chat"] == lines
    # Who comes later reads what was said; who is called like somebody at the table has a mark.
    assert late.post("join", call)["id"] == table
    trio.ears[2].wait_for(lambda e: e["kind"] == "chat" and e["line"]["text"].startswith("Yes"))
    late.post(f"{path}/chat", {"text": "I am Anna too"})
    trio.ears[0].wait_for(lambda e: e["kind"] == "chat" and e["line"]["text"] == "I am Anna too")
    spoken = host.get(path)["chat"][-1]
    assert spoken["name"] == "Anna" and spoken["mark"] == late.get("hello")["node"]["fingerprint"][:19]
    assert late.get(path)["chat"] == host.get(path)["chat"]
    # A flood is refused at its author and costs the others nothing.
    with pytest.raises(Refused, match="too much at once"):
        for number in range(12):
            host.post(f"{path}/chat", {"text": f"line {number}"})
    for number in range(12):
        guest.post(f"{path}/chat", {"text": f"again {number}"})
    trio.ears[1].wait_for(lambda e: e["kind"] == "notice" and "too much at once" in e["text"])
    late.post(f"{path}/leave")
    with pytest.raises(Refused, match="not at this table"):
        late.post(f"{path}/chat", {"text": "still here?"})


@pytest.mark.slow
def test_a_watcher_moves_to_another_peer_when_the_one_that_shows_the_match_vanishes(trio: Party) -> None:
    players, onlooker, ear = onlooker_beside(trio)
    match = players.begin("osaka", {"tokens_to_end": 6})
    table = next(row for row in players.links[0].get("tables")["tables"] if row["match"] == match)
    onlooker.post("join", {"address": table["addresses"][0], "fingerprint": table["fingerprint"]})
    onlooker.post(f"tables/{table['id']}/enter")
    ear.wait_for(lambda e: e["kind"] == "table" and e.get("started") == match)
    since = len(ear.seen)
    trio.nodes[0].kill()
    ear.wait_for(lambda e: e["kind"] == "notice" and e.get("id") == match and "through Bnna" in e["text"], since)
    trio.nodes[0].start()
    trio.links[0] = players.links[0] = trio.nodes[0].link()
    for turn in range(2):
        number, state = wait_for_turn(players, match)
        play_turn(players.links[number], match, state, turn)
        state_where(onlooker, match, lambda now, before=state["ply"]: now["ply"] > before)
