"""Tables with phones: of one machine alone, beside another machine, and what may be lent."""

from __future__ import annotations

from pathlib import Path

import pytest

from kontor_games.clients.node.node_link import Refused
from tests.net.api.kit import Listener, NodeProcess, state_where

from .door_host import Host, mixed_table, play, table_of
from .door_phone import DoorPhone


def test_a_table_of_one_machine_and_its_phones_becomes_a_match_there(own_node: NodeProcess) -> None:
    host = Host(own_node)
    ear = Listener(own_node.link(), 0)
    table = table_of(host.link)
    host.link.post("party", {"table": table, "port": 0})
    bruno = host.seat(1, "Bruno")
    twin = DoorPhone.by_link(host.invited("seat", 2), "Anna")
    host.link.post("party/remove", {"guest": host.guest(twin)})
    assert twin.until(lambda told: "end" in told)["end"] == "refused"
    clara = host.seat(2, "Clara")
    seats = host.link.get(f"tables/{table}")["seats"]
    assert [(seat["name"], seat["guest"]) for seat in seats] == [("Anna", False), ("Bruno", True), ("Clara", True)]
    assert clara.you["seats"][1]["name"] == "Bruno" and clara.you["match"] is None
    assert host.link.post(f"tables/{table}/ready")["match"]
    ear.wait_for(lambda event: event["kind"] == "table" and "started" in event)
    for seat, phone in ((1, bruno), (2, clara)):
        phone.until(lambda told: told.get("you", {}).get("match"))
        assert phone.get(f"matches/{phone.you['match']}")["seat"] == seat
    mine = host.link.get(f"matches/{bruno.you['match']}")
    assert mine["seat"] == 0 and mine["kind"] == "local"
    assert {each["kind"] for each in host.party["links"]} == {"watch", "screen"}, "nobody is invited to Anna's own seat"
    host.link.post("party/invite", {"seat": 0})
    assert host.invited("seat", 0), "unless she wishes to play on a phone herself"


def test_phones_and_another_node_sit_at_one_table(tmp_path: Path) -> None:
    with mixed_table(tmp_path) as mixed:
        host, phone = mixed.host, mixed.phone
        view = mixed.bert.get(f"tables/{mixed.table}")
        assert view["seats"][1]["guest"] and any("Bruno plays as a guest" in said["text"] for said in view["says"])
        match = mixed.begin()
        theirs = state_where(mixed.bert, match, lambda state: state["view"] is not None)
        assert [seat["guest"] for seat in theirs["seats"]] == [False, True, False]
        assert any("Bruno plays as a guest" in said["text"] for said in theirs["says"])
        mine = host.link.get(f"matches/{match}")
        assert [seat["you"] for seat in mine["seats"]] == [True, False, False] and mine["kind"] == "net"
        with pytest.raises(Refused):
            host.link.get(f"matches/{match}?seat=1")
        assert phone.get(f"matches/{match}")["seat"] == 1
        assert not any(each["seat"] == 0 for each in host.party["links"]), "the owner's own seat is not a guest's"
        play(match, {0: host.link, 2: mixed.bert}, {1: phone}, 12)


def test_no_seat_is_lent_that_the_terms_do_not_call_a_guests(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "home").start()
    try:
        link = node.link()
        for body, words in (
            ({}, "name one of them"),
            ({"table": "4f2a91c3"}, "not at this table"),
            ({"match": "00" * 16}, "no such match"),
            ({"match": "00" * 16, "table": "4f2a91c3"}, "name one of them"),
        ):
            with pytest.raises(Refused, match=words):
                link.post("party", body)
        table = table_of(link, 4)
        with pytest.raises(Refused, match="not an address of this machine"):
            link.post("party", {"table": table, "address": "192.0.2.1"})
        link.post("party", {"table": table, "port": 0})
        other = table_of(link)
        with pytest.raises(Refused, match="a party already"):
            link.post("party", {"table": other, "port": 0})
        phone = Host(node).seat(1, "Bruno")
        link.post(f"tables/{table}/leave")
        assert phone.until(lambda told: "end" in told)["end"] == "table"
        assert link.get("party") == {"open": False}
    finally:
        node.end()
