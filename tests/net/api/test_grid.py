"""What is known and advised about the ways between peers."""

from __future__ import annotations

import re

import pytest

from kontor_games.net.links import port_mapper, port_mapping
from kontor_games.net.links.mesh import LinkInfo
from kontor_games.net.links.port_mapping import PortMapping, PortRefused
from kontor_games.net.node.pair_ways import FORGET_AFTER, WayBook, WayPair, ways_of
from kontor_games.net.table import advice
from kontor_games.net.wire.messages import About, WayTo

OURS = About("0.2.0", {"osaka": 2, "hansa": 1})


def test_a_pair_is_linked_if_one_says_so_missing_if_both_miss_it_and_unknown_without_word() -> None:
    book = WayBook()
    book.heard(1, [WayTo(2, "relay", 64)], 0.0)
    book.heard(3, [], 0.0)
    assert book.pairs([1, 2, 3], 1.0) == [
        WayPair((1, 2), "linked", "relay", 64),
        WayPair((1, 3), "missing"),
        WayPair((2, 3), "unknown"),
    ]
    assert {pair.state for pair in book.pairs([1, 2, 3], FORGET_AFTER + 1)} == {"unknown"}


def test_a_node_tells_of_links_to_peers_of_that_match_alone() -> None:
    links = [
        LinkInfo(b"a", "192.168.0.7:4000", True, 0.0312),
        LinkInfo(b"b", "relay@198.51.100.3:7460", False, None),
        LinkInfo(b"stranger", "192.168.0.9:4000", True, 0.01),
    ]
    assert ways_of(links, {b"a": 0, b"b": 2}) == (WayTo(0, "lan", 31), WayTo(2, "relay", 0))


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        (About("0.2.0", {"osaka": 2}), None),
        (About("0.1.0", {"osaka": 2}), None),
        (About("0.1.9", {"osaka": 1}), "they need to upgrade (to Kontor 0.2.0"),
        (About("0.10.0", {"osaka": 3}), "you need to upgrade (to Kontor 0.10.0"),
        (About("0.1.0", {"hansa": 1}), "does not have the game osaka"),
        (None, "older Kontor"),
    ],
)
def test_versions_matter_where_the_rules_differ(theirs: About | None, expected: str | None) -> None:
    found = advice.versions("Bob", theirs, OURS, "osaka")
    assert found is None if expected is None else expected in (found or "")


@pytest.mark.parametrize(
    ("skew", "expected"),
    [(None, None), (4.9, None), (-30.0, "30 seconds behind"), (600.0, "10 minutes ahead"), (-7300.0, "2 hours behind")],
)
def test_a_clock_far_off_is_told_with_its_direction(skew: float | None, expected: str | None) -> None:
    found = advice.clock("Bob", skew)
    assert found is None if expected is None else expected in (found or "")


def test_what_fails_is_told_with_what_to_do_and_what_works_is_not_told() -> None:
    assert advice.peer("Bob", "linked", "lan", 0.003, False, 4000) is None
    assert "slow" in (advice.peer("Bob", "linked", "direct", 0.9, False, 4000) or "")
    assert "port 4000 forwarded" in (advice.peer("Bob", "linked", "relay", 0.1, True, 4000, "missed") or "")
    assert "relay is the last way: kontor doctor" in (advice.peer("Bob", "missing", None, None, True, 4000) or "")
    assert "forward port 4000" in (advice.peer("Bob", "missing", None, None, False, 4000) or "")
    assert not advice.multicast(None, None)[0] and advice.multicast(0.2, None)[0]
    assert "router" in advice.way_in("203.0.113.4:4000", ["192.168.0.4:4000"])
    assert "does not tell" in advice.way_in("\x1b[2J nonsense", ["127.0.0.1:4000"])
    assert "this very machine" in advice.way_in("127.0.0.1:4000", ["127.0.0.1:4000"])
    assert "own addresses" in advice.way_in("192.0.2.4:4000", ["192.0.2.4:4000"])


def relayed(hole: str | None = None, own: advice.OwnSide = "") -> str:
    return advice.peer("Bob", "linked", "relay", 0.1, True, 4000, hole, own) or ""


SITUATIONS = {
    "on a public address": (advice.way_in("192.0.2.4:4000", ["192.0.2.4:4000"]), "others can call you"),
    "behind a router": (advice.way_in("192.0.2.4:4000", ["192.168.0.4:4000"]), "as in most homes"),
    "the router opened a port": (advice.router("5.6.7.8:4000", "UPnP", ""), "You need not do anything"),
    "the router knows nothing of it": (
        advice.router("", "", port_mapping.SILENT),
        "open your router's settings and turn on UPnP",
    ),
    "the router forbids it": (advice.router("", "", port_mapping.FORBIDDEN), "does not allow this machine"),
    "the router was not asked long ago": (advice.router("", "", port_mapper.ASKED), "Look again in ten seconds."),
    "there is no router": (advice.router("", "", port_mapper.NOT_FOUND), "end the VPN while you play, if you may."),
    "the settings can be found": (
        advice.router("", "", port_mapping.SILENT, True, "192.168.1.1"),
        "settings (http://192.168.1.1 in a browser;",
    ),
    "the extra is missing, and so is the way": (
        advice.router("", "", port_mapping.FORBIDDEN, False, "192.168.100.100"),
        "Then run kontor doctor again.",
    ),
    "a port may have stayed open": (
        f"{advice.router('', '', port_mapping.SILENT)} {advice.may_be_open([50000, 50001])}",
        "at port 50000 and port 50001 before and may do so still",
    ),
    "the extra is missing": (
        advice.router("", "", port_mapping.SILENT, False),
        "pip install 'kontor-games[upnp]'",
    ),
    "behind a provider's router": (
        advice.router("", "", f"has no address on the internet itself: {advice.SECOND_ROUTER}"),
        "ask them for a public IPv4 address",
    ),
    "mapping is switched off": (advice.NOT_MAPPING, "--no-mapping"),
    "both routers change ports": (
        relayed("missed"),
        "the routers let none through. What helps: in the settings of your router or of Bob's turn on UPnP",
    ),
    "the other side is the one to look at": (relayed("missed", "open"), "Ask Bob to run kontor doctor"),
    "both routers change ports, and the extra is missing": (
        relayed("missed", "bare"),
        "(kontor doctor says how)",
    ),
    "only the other side can help": (relayed("missed", "second"), "in the settings of Bob's router turn on UPnP"),
    "mapping could help": (relayed("missed", "off"), "start it without that"),
    "the lobby does not help": (relayed("no-punch"), "This lobby does not help with direct ways"),
    "the other did not come": (relayed("absent"), "it is tried again"),
    "one house": (relayed("one-router"), "not a Wi-Fi for guests"),
    "two kinds of addresses": (relayed("mixed"), "There is nothing that you have to do."),
    "an old lobby sees no way": (relayed("unfit"), "cannot be made from outside"),
    "told not to look": (relayed("off"), "--no-punching"),
    "not tried yet": (relayed(), "takes it by itself"),
    "no lobby there": (
        advice.lobby_down("192.0.2.4:7460: Connection was refused by other side: 111: Connection refused."),
        "at this address no lobby is running now",
    ),
    "a lobby's name that is wrong": (
        advice.lobby_down("lobby.example:7460: DNS lookup failed: no results for hostname lookup"),
        "nobody knows a machine of this name",
    ),
    "a lobby that says why": (advice.lobby_down("the lobby does not answer"), "reached: the lobby does not answer."),
    "not reached": (advice.peer("Bob", "missing", None, None, True, 4000) or "", "Is Kontor running there"),
}
CODES = re.compile(r"SYN|\bNAT\b(?!-PMP)|[Ss]ymmetric|(?<!--no-)[Pp]unch|\b[Hh]oles?\b|missed|None|[Ee]rror|\bTCP\b|_")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_situation_is_told_in_sentences_with_what_to_do_and_without_jargon(situation: str) -> None:
    text, expected = SITUATIONS[situation]
    assert expected in text
    assert CODES.search(text) is None, text
    assert text[0].isupper() and text[-1] == "." and len(text) < 500 and ". ." not in text


def test_whatever_reason_a_way_came_to_nothing_there_is_a_sentence_for_it() -> None:
    for kind in (*advice.HOLES, "punch-full", "nobody knows this word", "{who}"):
        text = advice.peer("Bob {0} {x}", "linked", "relay", 0.1, True, 4000, kind) or ""
        assert "Bob {0} {x} is reached" in text and "direct" in text and "nobody knows" not in text


def test_what_the_links_say_about_a_second_router_is_what_the_doctor_looks_for() -> None:
    mapping = PortMapping("192.168.1.20", 4711, b"n" * 12)
    mapping.begin(0.0)
    *_, refused = mapping._held("10.0.0.1", 4711, 3600, 1, 0.0)
    assert isinstance(refused, PortRefused) and advice.SECOND_ROUTER in refused.reason
    assert advice.own_side("", refused.reason, True) == "second" and advice.own_side("", "", False) == "off"
    assert advice.own_side("5.6.7.8:4000", "", True) == "open" and advice.own_side("", port_mapping.SILENT, True) == ""
    assert advice.own_side("", port_mapping.SILENT, True, False) == "bare"
    assert advice.NOT_FOUND in port_mapper.NOT_FOUND and advice.ASKED in port_mapper.ASKED
