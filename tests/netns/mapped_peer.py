"""A machine behind a router that asks it for a port; whoever calls there is greeted.

`python -m tests.netns.mapped_peer LANGUAGE SECONDS` asks by PCP, NAT-PMP or UPnP alone, for so many seconds at a time,
tells in lines of JSON what is granted and asked, and gives the port back when its input ends.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.stdio import StandardIO

from kontor_games.net.links import port_mapping, upnp, upnp_lease
from kontor_games.net.links.port_mapper import PortMapper

GREETING = b"good day"


def tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


class MappedGreeting(Protocol):
    transport: Any

    def connectionMade(self) -> None:
        self.transport.write(GREETING)
        self.transport.loseConnection()


class UntilHungUp(Protocol):
    def __init__(self, reactor: Any, mapper: PortMapper) -> None:
        self._reactor = reactor
        self._mapper = mapper

    def connectionLost(self, reason: Any = None) -> None:
        stopped: Deferred[None] = self._mapper.stop()
        stopped.addCallback(lambda _: self._reactor.callLater(0.2, self._reactor.stop))  # what was sent goes out


def speak_only(language: str, seconds: int) -> None:
    """Have the machine know one language, and ask for so short a time that it must ask again soon."""
    port_mapping.LIFETIME = upnp.LEASE = seconds  # type: ignore[misc]
    port_mapping.SHORTEST = upnp_lease.SHORTEST = 1.0  # type: ignore[misc]
    if language == "NAT-PMP":
        port_mapping.PortMapping.begin = _begin_older  # type: ignore[method-assign]
    asked = port_mapping.PortMapping._ask
    by_upnp = upnp.UpnpRouter.ask

    def noted(self: Any, now: float) -> Any:
        tell(asks="PCP" if self._language else "NAT-PMP")
        return asked(self, now)

    def noted_upnp(self: Any, port: int, wish: int) -> Any:
        tell(asks="UPnP")
        return by_upnp(self, port, wish)

    refused = PortMapper._refused

    def noted_refusal(self: Any, reason: str) -> None:
        refused(self, reason)
        tell(refused=reason)

    PortMapper._refused = noted_refusal  # type: ignore[method-assign]
    port_mapping.PortMapping._ask = noted  # type: ignore[method-assign]
    upnp.UpnpRouter.ask = noted_upnp  # type: ignore[method-assign]


def _begin_older(self: Any, now: float) -> Any:
    self.state, self._tries = port_mapping.MappingState.ASKING, 0
    self._asked_for = self.granted.port if self.granted is not None else self.port
    return self._ask_older(now)


def main() -> None:
    from twisted.internet import reactor

    here: Any = reactor
    language, seconds = sys.argv[1:]
    speak_only(language, int(seconds))
    greeter: Any = Factory.forProtocol(MappedGreeting)
    port = here.listenTCP(0, greeter).getHost().port
    mapper: PortMapper

    def changed(outside: str) -> None:
        tell(outside=outside, language=mapper.language, reason=mapper.reason)

    mapper = PortMapper(here, port, changed, can_upnp=lambda: language == "UPnP")
    StandardIO(UntilHungUp(here, mapper))
    mapper.start()
    here.run()


if __name__ == "__main__":
    main()
