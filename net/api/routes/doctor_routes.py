"""The route of the doctor: what works between this node and others, what does not, and what to do about it."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure

from kontor_games.engine.errors import KontorError
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.network.grid import match_pairs, match_rows
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.node.node import Node
from kontor_games.net.node.software import about
from kontor_games.net.table import advice
from kontor_games.net.wire.identity import fingerprint

from .machine_routes import multicast_seconds
from .machine_routes import versions as libraries

Check = dict[str, Any]


class DoctorRoutes:
    """Looks at the local network, the lobby, the clock, and every link of every match."""

    def __init__(self, hub: Hub, network: Network) -> None:
        self._hub = hub
        self._network = network

    def routes(self) -> list[Route]:
        return [Route("GET", "doctor", self.look)]

    def look(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        """Everything at once; takes as long as the slowest check, a few seconds at most."""
        report: dict[str, Any] = {}

        def opened(node: Node) -> Deferred[list[Check]]:
            report.update(_self(node))
            return self._local_network()

        def heard(check: list[Check]) -> Deferred[list[Check]]:
            report["checks"] = check
            return self._lobby()

        def seen(checks: list[Check]) -> dict[str, Any]:
            report["checks"] += checks
            report["matches"] = [self._match(shown) for shown in self._network.matches() if shown.match is not None]
            return report

        return self._network.open().addCallback(opened).addCallback(heard).addCallback(seen)

    def _local_network(self) -> Deferred[list[Check]]:
        setup, reactor = self._hub.setup, self._hub.reactor
        if not setup.lan:
            return succeed([])
        job = deferToThreadPool(
            reactor, reactor.getThreadPool(), multicast_seconds, [setup.bind] if setup.bind else None
        )

        def heard(seconds: float | None) -> list[Check]:
            trouble = None if self._network.lan is None else self._network.lan.why_not
            return [_check("local-network", *advice.multicast(seconds, trouble))]

        return job.addCallback(heard)

    def _lobby(self) -> Deferred[list[Check]]:
        if not self._network.lobby.is_chosen:
            return succeed(self._router(False))

        def failed(failure: Failure) -> list[Check]:
            if not isinstance(failure.value, KontorError):
                failure.raiseException()
            return self._not_reached(failure.getErrorMessage())

        try:
            return self._network.lobby.room().addCallbacks(self._reached, failed)
        except KontorError as error:
            return succeed(self._not_reached(str(error)))

    def _not_reached(self, reason: str) -> list[Check]:
        return [_check("lobby", False, advice.lobby_down(reason)), *self._router(False)]

    def _reached(self, room: LobbyRoom) -> Deferred[list[Check]]:
        node = self._network.node
        assert node is not None
        checks = [_check("lobby", True, f"The lobby is reached; its fingerprint is {fingerprint(room.key)}.")]
        wrong = advice.clock("the lobby", room.skew)
        skew = abs(room.skew or 0.0)
        checks.append(
            _check("clock", wrong is None, wrong or f"Your clock agrees with the lobby's within {skew:.1f} s.")
        )
        if room.seen is not None:
            checks.append(_check("way-in", True, advice.way_in(room.seen.seen, node.where.addresses)))
            if room.seen.seen in node.where.addresses:  # no router stands in the way
                return succeed(checks + self._router(False))
        asked: Deferred[None] = succeed(None) if node.mapper is None else node.mapper.ask_again()
        return asked.addCallback(lambda _: checks + self._router(True))

    def _router(self, is_wanted: bool) -> list[Check]:
        """What the router lets in, whatever became of the lobby; why it does not, where that would be of use."""
        node = self._network.node
        assert node is not None
        mapper = node.mapper
        if mapper is not None and (is_wanted or mapper.outside or mapper.may_be_open):
            said = advice.router(mapper.outside, mapper.language, mapper.reason, mapper.can_upnp, mapper.router)
            return [_check("router", True, f"{said} {advice.may_be_open(mapper.may_be_open)}".rstrip())]
        is_off = is_wanted and not self._hub.setup.mapping
        return [_check("router", True, advice.NOT_MAPPING)] if is_off else []

    def _match(self, shown: Any) -> dict[str, Any]:
        node = self._network.node
        assert node is not None
        ledger = shown.ledger
        return {
            "id": shown.id,
            "game": ledger.terms.game,
            "rules": ledger.terms.rules,
            "grid": match_rows(node, ledger, shown.match.session.missing),
            "pairs": match_pairs(node, ledger),
        }


def _self(node: Node) -> dict[str, Any]:
    ours = about()
    counts = node.mesh.notes.counts
    return {
        "software": ours.software,
        "rules": dict(ours.rules),
        "libraries": libraries(),
        "fingerprint": fingerprint(node.key),
        "addresses": list(node.where.addresses),
        "ways": [
            {"way": path.name.lower(), "reached": counts[path, "reached"], "failed": counts[path, "failed"]}
            for path in sorted({path for path, _ in counts})
        ],
    }


def _check(id: str, ok: bool, text: str) -> Check:
    return {"id": id, "ok": ok, "text": text}
