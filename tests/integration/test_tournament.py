"""Tournaments on real nodes: players who go to their tables by command, and 24 bots over five rounds."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients.entry import LocalServices
from kontor_games.clients.node.child_nodes import ChildNodes
from kontor_games.clients.node.node_link import Refused
from kontor_games.net.api import daemon
from kontor_games.net.tournament.tournament import Tournament, new_event
from kontor_games.net.wire.identity import load_or_create
from tests.lobby.child import LobbyProcess

from .terminals import Seat

ON_LAN = {"KONTOR_LAN": "1"}
QUICK = {"max_rounds": 12}
WISH: dict[str, Any] = {
    "name": "Test", "game": "hansa", "options": QUICK, "sizes": (2,), "method": "swiss", "rounds": 1, "bye": 12,
    "late": 0, "missing": 0, "unfinished": 0, "unsigned": "places", "left": "nothing",
    "tie_breaks": ("opponents", "wins"), "recovery": "majority", "grace": 0, "spectators": True, "seed": "test",
}  # fmt: skip


def organised(folder: Path, **wish: Any) -> Tournament:
    """An event that somebody organises who has a key of their own."""
    organiser = load_or_create(folder.parent / "organiser")
    new_event(folder, organiser, {**WISH, **wish})
    return Tournament(folder, lambda: organiser)


def match_files(home: Path) -> set[Path]:
    return set((home / "matches").glob("*.kontor"))


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[Path]:
    """A folder of homes whose nodes end with the test."""
    yield tmp_path
    for home in filter(Path.is_dir, tmp_path.iterdir()):
        daemon.stop(home)


def test_players_find_the_drawn_table_on_the_network_and_its_file_counts(homes: Path) -> None:
    event = organised(homes / "event")
    for name in ("Ada", "Bob"):
        event.add(load_or_create(homes / name.lower()).key.hex(), name)
    event.draw(anyway=False)
    copy = homes / "event.txt"  # all that players are given
    shutil.copy(homes / "event" / "event.txt", copy)
    seats: list[Seat] = []
    try:
        for name in ("ada", "bob"):
            seats.append(Seat(homes / name, ["tournament", "play", str(copy), "--bot", "greedy"], ON_LAN))
        for seat in seats:
            seat.until(r"Test, round 1, table 1: you have seat [12], with (Ada|Bob)\.")
        for seat in seats:
            seat.until("This match counts in a tournament")
        assert [seat.wait() for seat in seats] == [0, 0], [seat.text for seat in seats]
    finally:
        for seat in seats:
            seat.close()
    (file,) = match_files(homes / "bob")
    assert [each["fault"] for each in event.hand_in([str(file)], None)] == [""]
    event.end(anyway=False)
    assert event.check(None, copy)["code"] == 0
    late = Seat(homes / "ada", ["tournament", "play", str(homes / "event"), "--bot", "greedy"])
    late.until("no round is being played")
    late.close()


@pytest.mark.long
def test_players_find_the_drawn_table_in_a_lobby_and_its_file_counts(homes: Path) -> None:
    event = organised(homes / "event")
    keys = {name: load_or_create(homes / name.lower()).key.hex() for name in ("Ada", "Bob")}
    for name, key in keys.items():
        event.add(key, name)
    event.draw(anyway=False)
    drawn = [seat["name"] for seat in event.invitation(keys["Ada"])["seats"]]
    copy = homes / "event.txt"
    shutil.copy(homes / "event" / "event.txt", copy)
    lobby = LobbyProcess(homes / "lobby", 0)
    there = ("--lobby", f"127.0.0.1:{lobby.port}")
    seats: list[Seat] = []
    try:
        play = ["tournament", "play", str(copy), "--bot", "greedy", *there]
        host = Seat(homes / drawn[0].lower(), play)
        seats.append(host)
        host.until(r"Test, round 1, table 1: you have seat 1, with (Ada|Bob)\.")
        guest = Seat(homes / drawn[1].lower(), play)
        seats.append(guest)
        guest.until("Waiting for the table of")
        for seat in (host, guest):
            seat.until("This match counts in a tournament")
        assert [seat.wait() for seat in (host, guest)] == [0, 0], [seat.text for seat in seats]
    finally:
        for seat in seats:
            seat.close()
        lobby.stop()
    (file,) = match_files(homes / drawn[1].lower())
    assert hand_in(event, [file]) == [""]
    event.end(anyway=False)
    assert event.check(None, copy)["code"] == 0


class Club:
    """Nodes that play the tables of a tournament, each seat a bot at a node of its own."""

    def __init__(self, nodes: ChildNodes, event: Tournament) -> None:
        self.nodes, self.event = nodes, event
        self.names: dict[str, str] = {}  # by key

    def join(self, *names: str) -> None:
        self.nodes.start(*names)
        for name in names:
            key = self.nodes[name].get("hello")["node"]["key"]
            self.names[key] = name
            self.event.add(key, name)

    def play_round(self, leaver: str = "") -> dict[int, list[Path]]:
        """Play all tables of the round under way; the new files of each. The leaver says goodbye at once."""
        before = {name: match_files(self.nodes.home(name)) for name in self.names.values()}
        tables = self.event.shown()["rounds"][-1]["tables"]
        gathered = [self._gather(self.event.invitation(table["seats"][0]["key"])) for table in tables]
        for table_id, names in gathered:
            self._agree(table_id, names)
        waiting = {seat["name"] for table in tables for seat in table["seats"]} - {leaver}
        until = time.monotonic() + 1500
        while waiting:
            assert time.monotonic() < until, waiting
            name, told = self.nodes.next(300)
            if told["kind"] != "match":
                continue
            if name == leaver and told["status"] not in ("over", "stopped"):
                self.nodes[name].post(f"matches/{told['id']}/bye")
                leaver = ""
            elif told["status"] == "over" and self.nodes[name].get(f"matches/{told['id']}?seat=none")["complete"]:
                waiting.discard(name)
        found: dict[int, list[Path]] = {}
        for table in tables:
            names = [seat["name"] for seat in table["seats"]]
            found[table["table"]] = [path for n in names for path in match_files(self.nodes.home(n)) - before[n]]
        return found

    def _gather(self, invitation: dict[str, Any]) -> tuple[str, list[str]]:
        names = [seat["name"] for seat in invitation["seats"]]
        host = self.nodes[names[0]]
        keys = [seat["key"] for seat in invitation["seats"]]
        mark = {"mark": invitation["mark"], "organiser": invitation["organiser"], "keys": keys}
        terms = {name: invitation[name] for name in ("game", "options", "recovery", "grace", "spectators")}
        table = host.post("tables", {**terms, "seats": len(keys), "event": mark})["id"]
        here = host.get(f"tables/{table}")
        where = {"address": here["addresses"][0], "fingerprint": here["fingerprint"]}
        for seat, name in enumerate(names):
            if seat:
                self._call(name, where)
            self.nodes[name].post(f"tables/{table}/bot", {"seat": seat, "kind": "greedy", "name": name})
        return str(table), names

    def _call(self, name: str, where: dict[str, str]) -> None:
        """Two cores and 24 nodes: a call may come to nothing the first time."""
        for patience in (5, 5, 0):
            try:
                self.nodes[name].post("join", where)
            except Refused:
                if not patience:
                    raise
                time.sleep(patience)
            else:
                return

    def _agree(self, table: str, names: Sequence[str]) -> None:
        for name in names:
            until = time.monotonic() + 60
            while not all(seat["name"] for seat in self.nodes[name].get(f"tables/{table}")["seats"]):
                assert time.monotonic() < until, f"{name} does not see who sits at the table"
                time.sleep(0.1)
            self.nodes[name].post(f"tables/{table}/ready")


def forged(path: Path, target: Path) -> Path:
    """The file with one byte of a signed move changed, its checks made to fit."""
    from kontor_games.net.record.transcript import FrameRecord
    from tests.worlds.match_files import packed, unpacked

    records = unpacked(path.read_bytes())
    place = max(number for number, record in enumerate(records) if isinstance(record, FrameRecord))
    frame = records[place]
    assert isinstance(frame, FrameRecord)
    raw = frame.raw[:-1] + bytes([frame.raw[-1] ^ 1])
    target.write_bytes(packed([*records[:place], FrameRecord(raw, frame.signature), *records[place + 1 :]]))
    return target


def hand_in(event: Tournament, files: Sequence[Path]) -> list[str]:
    return [each["fault"] for each in event.hand_in([str(path) for path in files], None)]


@pytest.mark.long
def test_24_bots_play_five_rounds_with_drop_outs_and_a_forged_result(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    event = organised(folder, sizes=(4, 3), rounds=5, unfinished=1)
    services = LocalServices()
    nodes = services.nodes(tmp_path / "homes")
    club = Club(nodes, event)
    first: list[Path] = []
    try:
        club.join(*(f"Bot {number}" for number in range(1, 24)))
        for number in range(1, 6):
            if number == 2:
                club.join("Bot 24")  # comes late
                event.drop("Bot 3")
            if number == 4:
                event.drop("Bot 7")
                event.drop("Bot 11")
            event.draw(anyway=False)
            leaver = event.shown()["rounds"][-1]["tables"][0]["seats"][1]["name"] if number == 3 else ""
            files = club.play_round(leaver)
            assert all(files.values()), files
            if number == 1:
                first = [paths[0] for paths in files.values()]
                wrong = forged(first[0], tmp_path / "forged.kontor")
                assert hand_in(event, [wrong]) == ["refuted"]
            else:
                assert hand_in(event, [first[0]]) == ["not needed"]  # an old file again: its round is closed
            assert hand_in(event, [paths[-1] for paths in files.values()]) == [""] * len(files)
            print(f"round {number}: {len(files)} tables", flush=True)
    finally:
        nodes.stop()
    event.end(anyway=False)
    shown = event.shown()
    (tmp_path / "standings.json").write_text(json.dumps(shown), encoding="utf-8")
    late = next(row for row in shown["standings"] if row["name"] == "Bot 24")
    assert late["rounds"][0]["how"] == "late" and len(shown["standings"]) == 24
    assert [row["rank"] for row in shown["standings"]] == sorted(row["rank"] for row in shown["standings"])
    _points_are_right(shown)
    assert event.check(None, None)["code"] == 0
    chain = (folder / "event.txt").read_bytes()
    (folder / "event.txt").write_bytes(chain.replace(b"Bot 5", b"Bot 6", 1))
    assert event.check(None, None)["code"] == 1
    (folder / "event.txt").write_bytes(chain)
    match = sorted((folder / "matches").iterdir())[7]
    data = match.read_bytes()
    match.write_bytes(data[:5000] + bytes([data[5000] ^ 1]) + data[5001:])
    found = event.check(None, None)
    assert found["code"] == 1 and "are not those that were handed in" in found["faults"][0]


def _points_are_right(shown: dict[str, Any]) -> None:
    """Added up once more, from places alone, in the simplest way."""
    usual = {4: (12, 8, 4, 0), 3: (12, 6, 0)}
    total = {row["name"]: 0.0 for row in shown["standings"]}
    for drawn in shown["rounds"]:
        for name in drawn["byes"]:
            total[name] += 12
        for table in drawn["tables"]:
            seats, points = table["seats"], usual[len(table["seats"])]
            for seat in seats:
                if table["finish"] == "unfinished":
                    total[seat["name"]] += 0 if seat["left"] else 1
                elif not seat["left"]:
                    same = [n for n, each in enumerate(sorted(s["place"] for s in seats)) if each == seat["place"]]
                    total[seat["name"]] += sum(points[n] for n in same) / len(same)
    for row in shown["standings"]:
        assert abs(float(row["points"]) - total[row["name"]]) < 0.02, row
