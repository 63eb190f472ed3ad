"""The local API as a whole: routes, door, port. Started by the node's process, used by every client."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError

from kontor_games.net.api.guests.guest_routes import GuestRoutes
from kontor_games.net.api.guests.party import Party
from kontor_games.net.api.guests.party_routes import PartyRoutes
from kontor_games.net.api.http.api_http import ApiFactory
from kontor_games.net.api.http.event_stream import EventsDoor
from kontor_games.net.api.http.router import Router
from kontor_games.net.api.http.tokens import Tokens
from kontor_games.net.api.matches.hub import Hub, Setup
from kontor_games.net.api.matches.player_settings import SettingsFile
from kontor_games.net.api.network.network_side import Network
from kontor_games.net.api.routes.about_routes import AboutRoutes
from kontor_games.net.api.routes.analysis_routes import AnalysisRoutes
from kontor_games.net.api.routes.doctor_routes import DoctorRoutes
from kontor_games.net.api.routes.guide_routes import GuideRoutes
from kontor_games.net.api.routes.hint_routes import HintRoutes
from kontor_games.net.api.routes.history_routes import HistoryRoutes
from kontor_games.net.api.routes.ladder_routes import LadderRoutes
from kontor_games.net.api.routes.match_routes import MatchRoutes
from kontor_games.net.api.routes.people_routes import PeopleRoutes
from kontor_games.net.api.routes.rematch_routes import RematchRoutes
from kontor_games.net.api.routes.replay_routes import ReplayRoutes
from kontor_games.net.api.routes.replay_shelf import ReplayShelf
from kontor_games.net.api.routes.table_routes import TableRoutes
from kontor_games.net.node.home import BACKLOG, Home
from kontor_games.net.wire.identity import Identity


class LocalApi:
    """The API of one node, on loopback only."""

    def __init__(self, reactor: Any, home: Home, identity: Identity, setup: Setup) -> None:
        self._reactor = reactor
        self.tokens = Tokens(home.directory, reactor.seconds)
        self.hub = Hub(reactor, home.directory, self.tokens, setup)
        settings = SettingsFile(home.directory, identity.key)
        self.network = Network(self.hub, home, identity, settings)
        self._about = AboutRoutes(self.hub, identity.key, settings)
        tables = TableRoutes(self.hub, self.network, settings)
        matches = MatchRoutes(self.hub, settings)
        self.party = Party(self.hub, self.network, home.directory)
        self.party.router = Router(GuestRoutes(self.hub, self.party, self._about, matches).routes())
        shelf = ReplayShelf(self.hub)
        self._analysis = AnalysisRoutes(self.hub, shelf)
        families = (
            self._about,
            matches,
            tables,
            DoctorRoutes(self.hub, self.network),
            GuideRoutes(self.hub, settings),
            HistoryRoutes(self.hub),
            HintRoutes(self.hub),
            RematchRoutes(self.hub, self.network, self.party.play_again),
            PeopleRoutes(self.network.people),
            LadderRoutes(self.network),
            PartyRoutes(self.party, self.network),
            ReplayRoutes(self.hub, shelf),
            self._analysis,
        )
        router = Router([route for family in families for route in family.routes()])
        self._factory = ApiFactory(router, self.tokens, EventsDoor(self.hub.feed, reactor), setup.web, reactor)
        self._port: Any = None

    def listen(self, preferred: int = 0) -> int:
        """Open the port, the preferred one if it is free; returns its number."""
        try:
            self._port = self._reactor.listenTCP(preferred, self._factory, BACKLOG, "127.0.0.1")
        except CannotListenError:
            self._port = self._reactor.listenTCP(0, self._factory, BACKLOG, "127.0.0.1")
        number = int(self._port.getHost().port)
        self._about.port = number
        self._factory.listening(number)
        self.hub.start(number)
        self.network.start()
        self.party.restore()
        return number

    def stop(self) -> Deferred[Any]:
        """Close the port and all connections; matches can be taken up again."""
        closed = maybeDeferred(self._port.stopListening) if self._port is not None else maybeDeferred(lambda: None)
        self._factory.stop()
        gone = self.party.stop()
        self._analysis.close()
        self.hub.stop()
        return closed.addBoth(lambda _: gone).addBoth(lambda _: self.network.stop())
