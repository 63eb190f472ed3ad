"""What guests are called: names that are none, and names that somebody at the table has."""

from __future__ import annotations

import pytest

from tests.net.api.kit import NodeProcess

from .door_host import Host, table_of
from .door_phone import DoorPhone


@pytest.fixture
def table(own_node: NodeProcess) -> Host:
    """A party at a table, where the owner sits as Anna."""
    host = Host(own_node)
    host.link.post("party", {"table": table_of(host.link, 4), "port": 0})
    return host


def test_guests_with_the_name_of_somebody_at_the_table_are_told_apart_by_a_number(table: Host) -> None:
    phones = [table.seat(seat, name) for seat, name in ((1, "Anna"), (2, "Bruno"), (3, "Bruno"))]
    assert table.party["names"] == ["Anna", "Anna 2", "Bruno", "Bruno 2"]
    phones[2].until(lambda told: told.get("you", {}).get("seats", [{}] * 4)[3].get("name") == "Bruno 2")
    assert phones[2].you["name"] == "Bruno 2", "the phone knows what it is called"
    table.link.post("party/invite", {"seat": 3})
    fresh = DoorPhone.by_link(table.invited("seat", 3), "Bruno")
    table.accept(fresh)
    fresh.until(lambda told: told.get("you", {}).get("accepted"))
    assert table.party["names"] == ["Anna", "Anna 2", "Bruno", "Bruno 2"], "another phone of the same person"


@pytest.mark.parametrize(
    "name", ["", "Anna  B", "\x1b[31mred", "\N{RIGHT-TO-LEFT OVERRIDE}nnA", "a" * 25, "...", "a\nb"]
)
def test_a_name_that_is_none_is_refused_in_words_and_the_link_stays_good(table: Host, name: str) -> None:
    link = table.invited("seat", 1)
    assert DoorPhone.by_link(link, name).refusal
    assert DoorPhone.by_link(link, "Bruno").you["seat"] == 1
