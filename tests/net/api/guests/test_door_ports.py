"""Which of a machine's addresses stands in the links for phones."""

from __future__ import annotations

import pytest

from kontor_games.net.api.guests.door_ports import by_likelihood, door_addresses


@pytest.mark.parametrize(
    "name",
    [
        "docker0", "br-1f2e3d", "virbr0", "veth12ab", "tun0", "utun3", "wg0", "ztabc", "tailscale0", "vboxnet0",
        "VirtualBox Host-Only Ethernet Adapter", "vEthernet (WSL)", "VMware Virtual Ethernet Adapter for VMnet8",
    ],
)  # fmt: skip
def test_the_address_of_the_wi_fi_comes_before_those_of_containers_and_tunnels(name: str) -> None:
    adapters = [("172.17.0.1", name), ("169.254.3.4", "Ethernet 2"), ("192.168.1.5", "wlan0")]
    addresses = ["172.17.0.1", "169.254.3.4", "192.168.1.5", "fd00::5"]
    assert by_likelihood(addresses, adapters) == ["192.168.1.5", "169.254.3.4", "172.17.0.1", "fd00::5"]


@pytest.mark.parametrize("name", ["wlan0", "eth0", "en0", "enp3s0", "wlp2s0", "Wi-Fi", "Intel(R) Wi-Fi 6 AX200", "br0"])
def test_adapters_of_a_usual_network_keep_their_order(name: str) -> None:
    adapters = [("10.0.0.5", name), ("192.168.1.5", "eth1")]
    assert by_likelihood(["10.0.0.5", "192.168.1.5"], adapters) == ["10.0.0.5", "192.168.1.5"]


def test_a_node_that_is_bound_to_one_address_opens_the_door_there() -> None:
    assert door_addresses("127.0.0.1", "") == ["127.0.0.1"]
