"""A listener on the Wi-Fi: of everything that two phones and the node say to each other, nothing can be read."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from tests.net.api.kit import NodeProcess, new_match

from .door_phone import DoorPhone, RawSocket, page

NAMES = ("Bruno Barfuss", "Clara Cordes")


def test_nothing_of_a_played_match_can_be_read_on_the_way(own_node: NodeProcess) -> None:
    link = own_node.link()
    match = new_match(
        link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}, {"kind": "greedy"}]
    )
    party = link.post("party", {"match": match, "port": 0})
    invited = {each["seat"]: each["url"] for each in party["links"] if each["kind"] == "seat"}
    phones = {seat: DoorPhone.by_link(invited[seat], name) for seat, name in enumerate(NAMES)}
    told = b""  # what was said, in the clear
    for seat, phone in phones.items():
        link.post("party/accept", {"guest": phone.you["guest"], "seat": seat})
        phone.until(lambda said: said.get("you", {}).get("accepted"))
        told += json.dumps(phone.you).encode() + str(seat).encode()
    turns = 0
    phrases: set[str] = set()
    end = time.monotonic() + 60
    while turns < 6 and time.monotonic() < end:
        turn = link.get(f"matches/{match}")["to_act"]
        if turn not in phones:
            time.sleep(0.05)
            continue
        state: Any = phones[turn].get(f"matches/{match}")
        while not state["draft"]["may_commit"]:
            phrases.add(state["menu"][0]["phrase"])
            told += json.dumps(state, ensure_ascii=False).encode()
            state = phones[turn].post(f"matches/{match}/draft", {"text": state["menu"][0]["text"]})
        told += json.dumps(phones[turn].post(f"matches/{match}/commit", {})).encode()
        turns += 1
    assert turns == 6
    heard = b"".join(phone.socket.seen for phone in phones.values()) + page(party["url"], "/")[2]
    secrets = [base64.urlsafe_b64decode(url.partition("#")[2] + "==") for url in invited.values()]
    keys = [phone.device for phone in phones.values()]
    words = [*NAMES, *phrases, match, '"hand"', '"menu"', '"view"', own_node.token, party["code"], "matches/"]
    words += [url.partition("#")[2] for url in invited.values()]
    for word in words:
        assert word.encode() not in heard, word
    for raw in (*secrets, *keys):
        assert raw not in heard and raw.hex().encode() not in heard
    # The control: the same search finds what was said where it is in the clear, and what is not secret on the way.
    assert all(word.encode() in told for word in (*phrases, match, '"menu"', '"view"'))
    assert b"/guest/start.js" in heard and b"Switching Protocols" in heard
    assert len(heard) > len(told) // 2
    RawSocket.close_all()
