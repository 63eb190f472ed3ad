"""The owner of a node who has opened its guest door."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kontor_games.clients.node.node_link import NodeLink, Refused
from tests.net.api.kit import Listener, NodeProcess, new_match

from .door_phone import DoorPhone

THREE = [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}, {"kind": "me", "name": "Carl"}]


class Host:
    """The owner of a node, and a party there."""

    def __init__(self, node: NodeProcess) -> None:
        self.node = node
        self.link = node.link()
        self.match = ""

    def local(self, game: str = "osaka") -> Host:
        """A party at a match on this machine."""
        with suppress(Refused):
            self.link.ask("DELETE", "party", None)
        self.match = new_match(self.link, game, THREE)
        self.link.post("party", {"match": self.match, "port": 0})
        return self

    @property
    def party(self) -> dict[str, Any]:
        found: dict[str, Any] = self.link.get("party")
        return found

    @property
    def url(self) -> str:
        return str(self.party["url"])

    def invited(self, kind: str, seat: int | None = None) -> str:
        return next(each["url"] for each in self.party["links"] if (each["kind"], each["seat"]) == (kind, seat))

    def guest(self, phone: DoorPhone) -> str:
        return str(phone.you["guest"])

    def seat(self, seat: int, name: str) -> DoorPhone:
        """A phone that was let in."""
        phone = DoorPhone.by_link(self.invited("seat", seat), name)
        self.accept(phone)
        phone.until(lambda told: told.get("you", {}).get("accepted"))
        return phone

    def accept(self, phone: DoorPhone) -> None:
        """Yes to what a phone asks for."""
        self.link.post("party/accept", {"guest": phone.you["guest"], "seat": phone.you["seat"]})

    def close(self) -> None:
        self.link.ask("DELETE", "party", None)


def table_of(link: NodeLink, seats: int = 3) -> str:
    table = str(link.post("tables", {"game": "osaka", "seats": seats, "spectators": True})["id"])
    link.post(f"tables/{table}/sit", {"seat": 0, "name": "Anna"})
    return table


@dataclass
class MixedTable:
    """Anna's machine with Bruno's phone, and Bert on a machine of his own."""

    host: Host
    bert: NodeLink
    bert_hears: Listener
    phone: DoorPhone
    table: str

    def begin(self) -> str:
        """All agree; the match."""
        self.host.link.post(f"tables/{self.table}/ready")
        self.bert.post(f"tables/{self.table}/ready")
        self.phone.until(lambda told: told.get("you", {}).get("match"))
        return str(self.phone.you["match"])


@contextmanager
def mixed_table(folder: Path) -> Iterator[MixedTable]:
    """All three have sat down."""
    nodes = NodeProcess.started(*(NodeProcess(folder / name) for name in ("anna", "bert")))
    try:
        host, bert = Host(nodes[0]), nodes[1].link()
        ears = [Listener(node.link(), 0) for node in nodes]
        table = table_of(host.link)
        host.link.post("party", {"table": table, "port": 0})
        phone = host.seat(1, "Bruno")
        address = host.link.get(f"tables/{table}")["addresses"][0]
        bert.post("join", {"address": address, "fingerprint": host.link.get("hello")["node"]["fingerprint"]})
        ears[1].wait_for(lambda event: event["kind"] == "table" and "table" in event)
        bert.post(f"tables/{table}/sit", {"seat": 2, "name": "Bert"})
        ears[0].wait_for(
            lambda event: event["kind"] == "table" and "table" in event and event["table"]["seats"][2]["name"] == "Bert"
        )
        yield MixedTable(host, bert, ears[1], phone, table)
    finally:
        for node in nodes:
            node.end()


def play(match: str, links: dict[int, NodeLink], phones: dict[int, DoorPhone], turns: int) -> None:
    """Some turns, each by whoever is to act."""
    looking = next(iter(links.values()))
    for _ in range(turns):
        end = time.monotonic() + 30
        while True:
            state = looking.get(f"matches/{match}")
            if state["status"] == "over":
                return
            turn = state["to_act"]
            seated: Any = links.get(turn) or phones.get(turn)
            state = seated.get(f"matches/{match}") if seated is not None else {"your_turn": False}
            if state["your_turn"]:
                break
            assert time.monotonic() < end
            time.sleep(0.05)
        while not state["draft"]["may_commit"]:
            state = seated.post(f"matches/{match}/draft", {"text": state["menu"][0]["text"]})
        seated.post(f"matches/{match}/commit", {})
