"""Asking a router by UPnP: the real library against routers on loopback that are honest, lie, are slow or refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pytest_twisted import ensureDeferred

from kontor_games.net.links import port_mapper, port_mapping, upnp, upnp_lease
from kontor_games.net.links.port_mapper import PortMapper
from kontor_games.net.links.upnp import FOR_EVER, LEASE, RouterRefuses, UpnpGrant, UpnpRouter, is_at, location_in
from kontor_games.net.links.upnp_lease import UpnpLease
from tests.worlds.lobby_hall import pause, the_reactor

from .fake_igd import FakeIgd

HERE = "127.0.0.1"
PORT = 4711


def ask(fake: FakeIgd, monkeypatch: pytest.MonkeyPatch, seconds: float = 2.0) -> UpnpGrant:
    monkeypatch.setattr(upnp, "SEARCH_PORT", fake.search_port)
    monkeypatch.setattr(upnp, "SEARCH_TIME", seconds)
    return UpnpRouter(HERE, HERE).ask(PORT, PORT)


def test_a_port_is_granted_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeIgd() as fake:
        assert ask(fake, monkeypatch) == UpnpGrant("5.6.7.8", PORT, LEASE)
        assert fake.maps == {PORT: (HERE, PORT, LEASE)}
        UpnpRouter(HERE, HERE).give_back(PORT)
        assert fake.maps == {}
        UpnpRouter(HERE, HERE).give_back(PORT)  # it is gone already: nobody minds


def test_a_port_that_somebody_else_has_is_not_taken_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeIgd(taken={PORT}) as fake:
        grant = ask(fake, monkeypatch)
        assert grant.port >= 32768 and list(fake.maps) == [grant.port]


def test_a_router_that_knows_no_leases_is_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeIgd(only_permanent=True) as fake:
        assert ask(fake, monkeypatch).seconds == FOR_EVER


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"forgets": True}, "says that it lets other players in, but does not"),
        ({"outside": "192.168.0.9"}, "another router stands before it"),
        ({"outside": "100.64.0.9"}, "another router stands before it"),
        ({"outside": "nonsense"}, "does not know its own address"),
        ({"refuses": 606}, "does not allow this machine to let other players in"),
        ({"refuses": 718}, "has given the ports that we asked for to others"),
        ({"refuses": 501}, "refuses to let other players in"),
        ({"sends_to": "http://127.0.0.9:80/orders"}, "sends us to another machine"),
    ],
)
def test_a_router_that_lies_or_refuses_is_told_apart(
    about: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeIgd(**about) as fake:
        with pytest.raises(RouterRefuses, match=reason):
            ask(fake, monkeypatch)
        assert fake.maps == {}
        if "sends_to" in about:
            assert fake.orders == []


@pytest.mark.parametrize("about", [{"answers_from": "127.0.0.2"}, {"described_at": "127.0.0.2"}])
def test_another_machine_that_poses_as_the_router_is_passed_over(
    about: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeIgd(**about) as fake:  # type: ignore[arg-type]  # of the fields only these
        with pytest.raises(RouterRefuses, match="does not answer"):
            ask(fake, monkeypatch, 0.2)
        assert fake.orders == []


@pytest.mark.parametrize(
    "place",
    ["https://10.0.0.1/x", "http://10.0.0.2/x", "http://10.0.0.1@10.0.0.2/", "http://a@10.0.0.1/", "file:///x", "//["],
)
def test_only_the_router_itself_is_asked_for_its_description(place: str) -> None:
    assert not is_at(place, "10.0.0.1")
    assert is_at("http://10.0.0.1:5000/root.xml", "10.0.0.1")


@pytest.mark.parametrize("answer", [b"", b"x", b"HTTP/1.1 200 OK\r\nLOCATION: \xff", b"\r\nlocation:" + b"x" * 300])
def test_whatever_answers_a_search_nothing_breaks(answer: bytes) -> None:
    assert location_in(answer) is None


@ensureDeferred
async def test_a_slow_router_counts_as_a_refusal_and_what_comes_too_late_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upnp_lease, "SLOW", 0.1)
    told: list[tuple[UpnpGrant | None, str]] = []
    with FakeIgd(seconds=0.15) as fake:
        monkeypatch.setattr(upnp, "SEARCH_PORT", fake.search_port)
        lease = UpnpLease(the_reactor(), UpnpRouter(HERE, HERE), PORT, lambda *answer: told.append(answer))
        lease.ask()
        lease.ask()  # one talk at a time
        for _ in range(200):
            await pause(0.02)
            if "DeletePortMapping" in fake.orders and not fake.maps:
                break
        assert [grant for grant, _ in told] == [None] and "too slow" in told[0][1]
        assert fake.orders.count("AddPortMapping") == 1 and fake.maps == {}
        await lease.stop()


@ensureDeferred
async def test_a_lease_is_renewed_and_given_back_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upnp_lease, "SHORTEST", 0.05)
    told: list[tuple[UpnpGrant | None, str]] = []

    class Renewed(UpnpRouter):
        asked = 0

        def ask(self, port: int, wish: int) -> UpnpGrant:
            self.asked += 1
            if self.asked == 3:
                raise RouterRefuses("was restarted and does not allow it any more")
            return UpnpGrant("5.6.7.8", 4000, 1)

        def give_back(self, outside: int) -> None:
            returned.append(outside)

    returned: list[int] = []
    router = Renewed(HERE, HERE)
    lease = UpnpLease(the_reactor(), router, PORT, lambda *answer: told.append(answer))
    lease.ask()
    for _ in range(200):
        await pause(0.02)
        if len(told) == 2:
            break
    assert told == [(UpnpGrant("5.6.7.8", 4000, 1), ""), (None, "was restarted and does not allow it any more")]
    lease.ask()
    for _ in range(200):
        await pause(0.02)
        if len(told) == 3:
            break
    assert lease.is_held
    await lease.stop()
    assert returned == [4000]


@ensureDeferred
@pytest.mark.parametrize("ends", ["after a refused renewal", "in the middle of a talk"])
async def test_a_port_that_the_router_may_have_kept_is_given_back_at_the_end(
    ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upnp_lease, "SHORTEST", 0.05)
    told: list[tuple[UpnpGrant | None, str]] = []
    with FakeIgd(seconds=0.1 if "talk" in ends else 0.0) as fake:
        monkeypatch.setattr(upnp, "SEARCH_PORT", fake.search_port)
        lease = UpnpLease(the_reactor(), UpnpRouter(HERE, HERE), PORT, lambda *answer: told.append(answer))
        lease.ask()
        for _ in range(200):
            if told or ("talk" in ends and fake.orders):
                break
            await pause(0.02)
        if "renewal" in ends:
            assert fake.maps and lease.is_held
            fake.refuses = 606
            lease.ask()
            for _ in range(200):
                if len(told) == 2:
                    break
                await pause(0.02)
            assert not lease.is_held and fake.maps, "the router keeps it for all that"
        await lease.stop()
        assert fake.maps == {} and "DeletePortMapping" in fake.orders


@contextmanager
def only_upnp(monkeypatch: pytest.MonkeyPatch, tell: Callable[[str], object]) -> Iterator[tuple[FakeIgd, PortMapper]]:
    """A router that understands nothing else, and who asks it."""
    monkeypatch.setattr(port_mapping, "FIRST_WAIT", 0.005)
    monkeypatch.setattr(port_mapper, "ROUTER_PORT", 9)  # nobody listens there
    with FakeIgd() as fake:
        monkeypatch.setattr(upnp, "SEARCH_PORT", fake.search_port)
        yield fake, PortMapper(the_reactor(), PORT, tell, lambda: HERE)


@ensureDeferred
async def test_where_nothing_else_is_understood_the_mapper_asks_by_upnp(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    with only_upnp(monkeypatch, told.append) as (fake, mapper):
        mapper.start()
        for _ in range(300):
            await pause(0.02)
            if told:
                break
        assert told == ["5.6.7.8:4711"] and mapper.language == "UPnP" and mapper.reason == ""
        await mapper.stop()
        assert fake.maps == {}


@ensureDeferred
async def test_whoever_looks_after_having_changed_the_router_sees_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_mapper, "UPNP_AFTER", 0.05)
    monkeypatch.setattr(port_mapper, "LOOK_TIME", 1.0)
    told: list[str] = []
    with only_upnp(monkeypatch, told.append) as (fake, mapper):
        await mapper.ask_again()  # a router that was never asked is not asked by that
        assert not fake.orders
        fake.refuses = 606
        mapper.start()
        await mapper.ask_again()  # as long as it takes
        assert mapper.reason == port_mapping.FORBIDDEN and told == [] and mapper.may_be_open == ()
        fake.refuses = 0
        await mapper.ask_again()
        assert told == ["5.6.7.8:4711"] and mapper.may_be_open == ()
        await mapper.ask_again()  # nothing is asked where all is well
        await mapper.stop()
        assert fake.maps == {}


@ensureDeferred
async def test_a_port_that_the_router_may_have_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_mapper, "UPNP_AFTER", 0.0)
    monkeypatch.setattr(upnp_lease, "SHORTEST", 0.05)
    monkeypatch.setattr(upnp, "LEASE", 1)
    monkeypatch.setattr(upnp_lease, "LEASE", 1)
    told: list[str] = []
    with only_upnp(monkeypatch, told.append) as (fake, mapper):
        mapper.start()
        for _ in range(300):
            await pause(0.02)
            fake.refuses = 606 if told else 0
            if told[1:]:
                break
        assert told == ["5.6.7.8:4711", ""] and mapper.may_be_open == (4711,)
        await mapper.stop()
        assert mapper.may_be_open == ()
