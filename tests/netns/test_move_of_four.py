"""Four players behind routers: two pairs move from the relay to holes while the match goes on, and one falls back.

Every message that any node sends or gets is noted (noting_node.py), so that what is lost, or heard twice, is counted
and not guessed. The switch between the routers takes its time, so that the relay's way is twice as long as the hole's.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from kontor_games.clients.node.child_nodes import ChildNodes
from tests.integration.test_matches import check_alike
from tests.lobby.child import LobbyProcess

from .noting_node import Note, read_notes
from .parties import FarNodes, LobbyFarParty
from .wires import Router, Strangers, Wires, need_tools, run, why_not, wires

pytestmark = [pytest.mark.netns, pytest.mark.long]
NAMES = ("Anna", "Bruno", "Clara", "David")
PAIRS = (("Anna", "Bruno"), ("Clara", "David"))
LOBBY = "203.0.113.10"
WAY = 0.025  # seconds that every packet outside takes


class NotingParty(LobbyFarParty):
    """Its nodes note their messages."""

    def _make_nodes(self, folder: Path) -> ChildNodes:
        nodes = FarNodes(folder, self._wires, self.is_on_lan)
        nodes._command = (sys.executable, "-m", "tests.netns.noting_node", *nodes._command[-4:])
        return nodes


@pytest.fixture
def net() -> Iterator[Wires]:
    if reason := why_not():
        pytest.skip(reason)
    need_tools("iptables")
    with wires() as made:
        yield made


def build(net: Wires, folder: Path) -> LobbyProcess:
    """A slow network with a lobby and four routers, which let nobody through to another router yet."""
    outside = {"lobby": f"{LOBBY}/24"}
    net.add("lobby")
    for number, name in enumerate(NAMES, 1):
        net.add(name.lower())
        net.add(f"r{number}")
        outside[f"r{number}"] = f"203.0.113.{number}/24"
    net.slow_switch(WAY, 0.0, outside)
    for number, name in enumerate(NAMES, 1):
        net.hide(name.lower(), f"r{number}", f"192.168.{number}.", Router.PORT_RESTRICTED, Strangers.DROPPED)
        for other in range(1, len(NAMES) + 1):
            if other != number:
                wall(net, number, other, True)
    return LobbyProcess(folder / "lobby", 0, "--listen", "0.0.0.0:7460", prefix=net.inside("lobby"))


def wall(net: Wires, number: int, other: int, is_up: bool) -> None:
    """Whether a router drops what comes from another one."""
    run(
        *net.inside(f"r{number}"),
        "iptables",
        *(("-I",) if is_up else ("-D",)),
        "FORWARD",
        "-s",
        f"203.0.113.{other}",
        "-j",
        "DROP",
    )


def ways(party: NotingParty) -> dict[tuple[str, str], str]:
    """The way of each pair, if both tell the same."""
    told = {}
    for place, one in enumerate(NAMES):
        for other in NAMES[place + 1 :]:
            both = {party.paths.get(one, {}).get(other), party.paths.get(other, {}).get(one)}
            told[one, other] = str(both.pop()) if len(both) == 1 else "differs"
    return told


def keys_of(party: NotingParty) -> dict[str, str]:
    """Names by key."""
    return {party.nodes[name].get("hello")["node"]["key"]: name for name in NAMES}


def all_notes(party: NotingParty, names: dict[str, str]) -> dict[str, list[Note]]:
    """The notes of all nodes, with names in place of keys."""
    return {
        name: [note._replace(peer=names[note.peer]) for note in read_notes(party.nodes.home(name))] for name in NAMES
    }


def lost_and_doubled(notes: dict[str, list[Note]], since: float, until: float) -> tuple[int, int, int]:
    """Of the messages sent between these times how many there were, how many never came; how many ever came twice."""
    sent_count = lost = doubled = 0
    for one in NAMES:
        for other in NAMES:
            if one != other:
                sent = Counter(n.digest for n in notes[one] if n.verb == "sent" and n.peer == other)
                early = Counter(
                    n.digest for n in notes[one] if n.verb == "sent" and n.peer == other and since <= n.at <= until
                )
                heard = Counter(n.digest for n in notes[other] if n.verb == "heard" and n.peer == one)
                sent_count += early.total()
                lost += (early - heard).total()
                doubled += (heard - sent).total()
    return sent_count, lost, doubled


def delays(notes: dict[str, list[Note]], one: str, other: str, way: str) -> list[float]:
    """Milliseconds from sending to hearing, of messages that were said once and heard once, by the way they took."""
    found = []
    for here, there in ((one, other), (other, one)):
        sent = [n for n in notes[here] if n.verb == "sent" and n.peer == there]
        heard = [n for n in notes[there] if n.verb == "heard" and n.peer == here]
        once = Counter(n.digest for n in sent)
        came = {n.digest: n for n in heard}
        for note in sent:
            if once[note.digest] == 1 and note.digest in came and came[note.digest].way == way:
                found.append(1000 * (came[note.digest].at - note.at))
    return found


def test_two_pairs_of_four_move_in_mid_turn_losing_nothing_and_one_falls_back(tmp_path: Path, net: Wires) -> None:
    lobby = build(net, tmp_path)
    party = NotingParty(net, tmp_path / "nodes", f"{LOBBY}:7460", "osaka", 4)
    try:
        party.begin()
        names = keys_of(party)
        party.until(lambda: set(ways(party).values()) == {"relay"}, 120)
        since = time.monotonic()
        for one, other in PAIRS:
            numbers = NAMES.index(one) + 1, NAMES.index(other) + 1
            wall(net, *numbers, False)
            wall(net, numbers[1], numbers[0], False)
        before = len(party.plies)
        party.until(lambda: all(ways(party)[pair] == "punched" for pair in PAIRS), 120)
        party.pass_time(3)
        assert set(ways(party).values()) == {"relay", "punched"} and not party.completed
        moved, plies = time.monotonic() - 1.5, len(party.plies)
        for numbers in ((1, 2), (2, 1)):
            wall(net, *numbers, True)
        died = time.monotonic()
        party.until(lambda: ways(party)[PAIRS[0]] == "relay", 60)
        back = time.monotonic() - died
        assert ways(party)[PAIRS[1]] == "punched" and not party.completed
        party.finish()
    finally:
        party.stop()
        lobby.stop()
    noted = all_notes(party, names)
    count, lost, doubled = lost_and_doubled(noted, since, moved)
    assert plies > before, "nobody moved meanwhile: it was not in mid-turn"
    tell(check_alike(party), plies - before, count, lost, doubled, noted, back)
    assert (lost, doubled) == (0, 0)
    for pair in PAIRS:
        # the least, not those in the middle: these are the wires', not those of a busy machine
        assert min(delays(noted, *pair, "PUNCHED")) < min(delays(noted, *pair, "RELAY"))


def tell(plies: int, meanwhile: int, count: int, lost: int, doubled: int, noted: Any, back: float) -> None:
    print(f"{plies} plies, {meanwhile} of them while two pairs moved; {count} messages, {lost} lost, {doubled} twice")
    for pair in PAIRS:
        relay, hole = (delays(noted, *pair, way) for way in ("RELAY", "PUNCHED"))
        print(
            f"{' and '.join(pair)}: {len(relay)} messages through the relay, {min(relay):.0f} ms at least, "
            f"{median(relay):.0f} in the middle, then {len(hole)} through the hole, {min(hole):.0f} and "
            f"{median(hole):.0f}"
        )
    print(f"back at the relay {back:.1f} s after the hole died")
