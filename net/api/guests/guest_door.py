"""The guest door: HTTP on the local network for phones. Pages from a fixed table, one WebSocket, the bundle.

It knows neither the owner's token nor cookies, and has no route of the API: whatever a guest asks comes through the
sealed channel. `Host` must be one of the addresses that the door listens on, so that no name of somebody else's leads
here (DNS rebinding), and the WebSocket must come from a page of that same address.

Everybody nearby can open connections. So whoever has not come in holds a stranger's place, a WebSocket too, which goes
to newcomers when all are taken; only phones whose first box has opened keep theirs. Whoever asks for more pages than it
reads is cut: browsers wait for an answer before they ask again, and unread answers would fill the memory.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, cast

from kontor_games.net.api.http.api_errors import ApiError, forbidden
from kontor_games.net.api.http.api_http import ApiChannel, ApiRequest, HttpDoor
from kontor_games.net.api.http.event_stream import check_upgrade, upgrade
from kontor_games.net.api.http.guard import SAFE
from kontor_games.net.api.http.ready_file import ReadyFile, send_ready
from kontor_games.net.system.buckets import Buckets, Rate

from .door_bundle import PAGE as BUNDLE
from .door_bundle import DoorBundle
from .guest_stream import GuestStream, Welcomes

MAX_CONNECTIONS: Final = 128  # of phones that are being served
MAX_STRANGERS: Final = 96
MAX_OF_ADDRESS: Final = 32  # connections; a browser opens six, and one for the channel
MAX_URI: Final = 256
PAGES: Final = Rate(60.0, 600.0)  # of one address; the client is some 120 files
GREETINGS: Final = Rate(1.0, 20.0)  # of one address
DOWNLOAD_SECONDS: Final = 20.0  # between two pieces of a download
SOCKET: Final = "/ws"


class GuestDoor(HttpDoor):
    """All connections of guests."""

    def __init__(self, welcomes: Welcomes, files: dict[str, ReadyFile], bundle: DoorBundle, reactor: Any) -> None:
        super().__init__(reactor, MAX_CONNECTIONS, MAX_STRANGERS)
        self._welcomes = welcomes
        self._files = files
        self._bundle = bundle
        self._origins: dict[str, str] = {}  # by host
        self._of_address: Counter[str] = Counter()
        self._pages = Buckets(PAGES)
        self._greetings = Buckets(GREETINGS)

    def listening(self, hosts: list[str], scheme: str) -> None:
        """The ports are open: at these hosts, with their port."""
        self._origins = {host.lower(): f"{scheme}://{host.lower()}" for host in hosts}

    def admits(self, address: str) -> bool:
        """Whether a connection from there may come in at all."""
        return bool(self._origins) and self._of_address[address] < MAX_OF_ADDRESS

    def buildProtocol(self, addr: Any) -> Any:
        """A phone has connected."""
        channel = super().buildProtocol(addr)
        if channel is not None:
            self._of_address[addr.host] += 1
        return channel

    def channel_gone(self, channel: ApiChannel) -> None:
        """A connection has ended."""
        if channel in self._channels:
            self._of_address[channel.address] -= 1
            if self._of_address[channel.address] <= 0:
                del self._of_address[channel.address]
        super().channel_gone(channel)

    def answer(self, request: ApiRequest) -> None:
        """A page, or the WebSocket."""
        channel = cast(ApiChannel, request.channel)
        if channel.is_full:
            cast(Any, channel.transport).abortConnection()
            return
        if channel in self._strangers:
            self._wait_for(channel)
        if self._pages.take(channel.address, self._reactor.seconds()) > 0:
            raise ApiError(429, "too-many", "too many requests in a short time; wait a little")
        hosts = request.values("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._origins:
            raise ApiError(421, "host", "this door answers at its own address only")
        if len(request.uri) > MAX_URI:
            raise ApiError(414, "too-long", "the address is too long")
        if request.method.decode("latin-1") not in SAFE:
            raise ApiError(405, "method", "method not allowed; use GET or HEAD")
        path = request.path.decode("latin-1")
        if path == SOCKET:
            self._socket(request, channel, self._origins[hosts[0].lower()])
        elif path == BUNDLE or path.startswith(f"{BUNDLE}/"):
            self._bundle.answer(request, path, lambda: self._stays(channel))
        else:
            self._page(request, path)

    def _socket(self, request: ApiRequest, channel: ApiChannel, origin: str) -> None:
        if [value.lower() for value in request.values("origin")] != [origin]:
            raise forbidden("requests from other pages are not answered")
        check_upgrade(request)
        if self._greetings.take(channel.address, self._reactor.seconds()) > 0:
            raise ApiError(429, "too-many", "too many connections in a short time; wait a little")
        stream = GuestStream(self._welcomes, lambda: self.recognise(channel), self._reactor, channel.address)
        if upgrade(request, stream):
            self._wait_no_more(channel)  # the stream has a deadline of its own
            stream.opened(channel.transport)

    def _stays(self, channel: ApiChannel) -> None:
        """A stranger takes a long answer, and is still at it."""
        if channel in self._strangers:
            self._wait_for(channel, DOWNLOAD_SECONDS)

    def _page(self, request: ApiRequest, path: str) -> None:
        page = self._files.get(path)
        if page is None:
            raise ApiError(404, "not-found", "there is no such page here")
        send_ready(request, page)
