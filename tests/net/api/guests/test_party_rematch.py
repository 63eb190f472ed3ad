"""A party goes on: guests go along when the host plays again, and nobody is given hints about a guest's hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kontor_games.clients.node.node_link import Refused
from tests.net.api.kit import NodeProcess, new_match, state_where

from .door_host import Host, mixed_table, play
from .door_phone import DoorPhone


def test_guests_go_along_when_a_match_of_this_machine_is_played_again(own_node: NodeProcess) -> None:
    host = Host(own_node)
    table = str(host.link.post("tables", {"game": "osaka", "seats": 3, "options": {"tokens_to_end": 6}})["id"])
    host.link.post(f"tables/{table}/bot", {"seat": 0, "kind": "greedy", "name": "Greta"})
    host.link.post("party", {"table": table, "port": 0})
    phones = {seat: host.seat(seat, name) for seat, name in ((1, "Bruno"), (2, "Clara"))}
    first = host.link.post(f"tables/{table}/ready")["match"]
    play(first, {0: host.link}, dict(phones), 300)
    state_where(host.link, first, lambda state: state["status"] == "over")
    link = host.invited("watch")
    again = host.link.post(f"matches/{first}/rematch")["match"]
    for old, phone in phones.items():
        phone.until(lambda told: told.get("you", {}).get("match") == again)
        assert phone.you["seat"] == old - 1 and phone.you["accepted"]
        state = phone.get(f"matches/{again}")
        assert state["seat"] == old - 1 and state["seats"][old - 1]["name"] == phone.you["name"]
        assert phone.ask("GET", f"matches/{first}")[0] == 403, "the key is good for the match that is played"
    assert host.party["match"] == again
    mine = host.link.get(f"matches/{again}")
    assert mine["seat"] is None and not any(seat["you"] for seat in mine["seats"]), "all seats are guests' again"
    assert DoorPhone.by_link(link, "Wanda").get(f"matches/{again}")["seat"] is None, "who watches, goes along too"
    own_node.kill()
    own_node.start()
    back = phones[1].again()
    assert back.you["match"] == again and back.get(f"matches/{again}")["seat"] == 0


def test_guests_go_along_to_the_table_of_a_rematch_among_peers(tmp_path: Path) -> None:
    with mixed_table(tmp_path) as mixed:
        host, other, phone = mixed.host, mixed.bert, mixed.phone
        match = mixed.begin()
        state_where(other, match, lambda state: state["view"] is not None)
        other.post(f"matches/{match}/bye")
        state_where(host.link, match, lambda state: state["status"] == "over")
        # The other machine proposes it first: its table is the one to go to.
        theirs = other.post(f"matches/{match}/rematch")["table"]
        state_where(host.link, match, lambda state: state["rematch"] is not None)
        mine = host.link.post(f"matches/{match}/rematch")["table"]
        phone.until(lambda told: "you" in told and told["you"]["match"] is None)
        assert phone.you["accepted"] and phone.you["seat"] == 0, "one seat further, and no question to the host again"
        assert mine == theirs and host.party["table"] == theirs
        mixed.bert_hears.wait_for(
            lambda event: (
                event["kind"] == "table"
                and event.get("id") == theirs
                and "table" in event
                and [seat["name"] for seat in event["table"]["seats"]] == ["Bruno", "Bert", "Anna"]
            )
        )
        seats = other.get(f"tables/{theirs}")["seats"]
        assert [seat["guest"] for seat in seats] == [True, False, False]
        host.link.post(f"tables/{theirs}/ready")
        other.post(f"tables/{theirs}/ready")
        phone.until(lambda told: "you" in told and told["you"]["match"] not in (None, match))
        again = phone.you["match"]
        state_where(other, again, lambda state: state["view"] is not None)
        assert phone.get(f"matches/{again}")["seat"] == 0
        with pytest.raises(Refused):
            host.link.get(f"matches/{again}?seat=0")
        play(again, {2: host.link, 1: other}, {0: phone}, 3)


def test_a_guest_is_another_person_and_nobody_gets_hints(node: NodeProcess) -> None:
    host = Host(node)
    host.match = new_match(host.link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "greedy"}], seed="lent")
    state_where(host.link, host.match, lambda state: state["your_turn"])
    assert host.link.get(f"matches/{host.match}")["hints"]
    host.link.post("party", {"match": host.match, "port": 0})
    phone = host.seat(0, "Bruno")
    assert phone.get(f"matches/{host.match}")["your_turn"]
    assert not phone.get(f"matches/{host.match}")["hints"] and not host.link.get(f"matches/{host.match}")["hints"]
    with pytest.raises(Refused, match="one person against bots"):
        host.link.post(f"matches/{host.match}/hint")  # it would tell the owner what the guest has in hand
    host.close()
    assert host.link.get(f"matches/{host.match}")["hints"], "the seat is the owner's again"
