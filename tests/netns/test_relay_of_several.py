"""Matches through the relay of a lobby of three processes, one of which is killed every 20 seconds.

Pairs behind routers that let no hole play one match after another, and the process that holds most relayed pairs is the
one that is killed. Each pair must find another relay within seconds, and no match may notice more than a pause: no node
blames another, every file verifies, signed by all. The people of tests/lobby/test_several_long.py are there as well.

Redis, the processes and the people live in one namespace, for which this thread enters it; the pairs in others.
`SEVERAL_SECONDS` and `SEVERAL_PEOPLE` as there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred

from tests.lobby.several import SharedLobby, shared_lobby
from tests.lobby.test_several_long import SECONDS, Evening, judge, killed_again_and_again, relayed_pairs
from tests.worlds.lobby_hall import until
from tests.worlds.party import Party
from tests.worlds.redis_server import needs_redis, redis_server

from .namespaces import entered
from .parties import LobbyFarParty
from .wires import Wires, need_tools, why_not, wires

pytestmark = [pytest.mark.netns, pytest.mark.long, needs_redis]
HOST = "203.0.113.10"
PAIRS = 3


class WiresOfPair(Wires):
    """The machines of one pair among several: each is called as if there were no other pair."""

    def __init__(self, net: Wires, which: int) -> None:
        super().__init__()
        self._net, self._which = net, which

    def name(self, short: str) -> str:
        return self._net.name(f"{short}{self._which}")


@pytest.fixture
def net() -> Iterator[Wires]:
    if reason := why_not():
        pytest.skip(reason)
    need_tools("iptables")
    with wires() as made:
        made.switch("switch")
        made.add("lobby")
        made.plug("lobby", "switch", f"{HOST}/24")
        for number in range(2 * PAIRS):
            name, router = f"{('anna', 'bruno')[number % 2]}{number // 2}", f"r{number}"
            made.add(name)
            made.add(router)
            made.plug(router, "switch", f"203.0.113.{number + 1}/24")
            made.hide(name, router, f"192.168.{number + 1}.")
        yield made


async def fullest(lobby: SharedLobby) -> tuple[int, int]:
    """The process that holds most relayed pairs, and how many; between two matches a pair needs no relay."""

    def found() -> tuple[int, int] | None:
        pairs, which = max((relayed_pairs(lobby, which), which) for which in range(len(lobby.ports)))
        return (which, pairs) if pairs else None

    held: tuple[int, int] = await until(found, 30)
    return held


@ensureDeferred
async def test_pairs_whose_relay_dies_play_on_through_another_process(tmp_path: Path, net: Wires) -> None:
    with (
        entered(net.name("lobby")),
        redis_server(tmp_path / "redis") as redis,
        shared_lobby(tmp_path, redis, 3, host=HOST, prefix=net.inside("lobby")) as lobby,
    ):

        def gather(which: int) -> Callable[[Path], Party]:
            pair = WiresOfPair(net, which)
            return lambda folder: LobbyFarParty(pair, folder, lobby.address(which), "joban", 2)

        evenings = [Evening(tmp_path / f"evening-{which}", gather(which)) for which in range(PAIRS)]
        seen = await killed_again_and_again(tmp_path, lobby, redis, evenings, fullest, SECONDS)
    judge(seen)
    assert seen["ways"] == ["relay"] and all(seen["relayed pairs at them"])
