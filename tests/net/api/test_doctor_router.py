"""What the doctor says of the router, whatever else is well or not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kontor_games.net.api.routes.doctor_routes import DoctorRoutes
from kontor_games.net.links.port_mapping import SILENT


def said(is_at_lobby: bool, outside: str | None, is_mapping: bool = True, may_be_open: tuple[int, ...] = ()) -> str:
    known = {"language": "PCP", "reason": SILENT, "can_upnp": True, "router": "192.168.1.1", "may_be_open": may_be_open}
    mapper = None if outside is None else SimpleNamespace(outside=outside, **known)
    hub: Any = SimpleNamespace(setup=SimpleNamespace(mapping=is_mapping))
    network: Any = SimpleNamespace(node=SimpleNamespace(mapper=mapper))
    return " ".join(check["text"] for check in DoctorRoutes(hub, network)._router(is_at_lobby))


@pytest.mark.parametrize("is_at_lobby", [True, False])
def test_an_open_port_is_listed_whether_or_not_the_lobby_is_reached(is_at_lobby: bool) -> None:
    assert "5.6.7.8:50000" in said(is_at_lobby, "5.6.7.8:50000")


def test_a_router_that_lets_nobody_in_matters_only_where_somebody_could_call() -> None:
    assert "does not answer" in said(True, "") and said(False, "") == ""
    assert "--no-mapping" in said(True, None, False) and said(False, None, False) == ""


@pytest.mark.parametrize("is_at_lobby", [True, False])
def test_a_port_that_the_router_may_have_kept_open_is_listed_too(is_at_lobby: bool) -> None:
    assert "port 50000 before" in said(is_at_lobby, "", True, (50000,))
