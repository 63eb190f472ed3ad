"""The door of the pages: HTTP for anybody on the internet, read-only, without cookies, within bounds.

In order: a place (whoever comes gets one, and when all are taken the oldest of the largest network gives way,
`net/system/admission.py`), a deadline that grows with what is being sent, a token of the visitor's bucket, an address
of bounded length, GET or HEAD, a `Host` that is exactly one of ours, then the site. A body is bounded and ignored.

What an attacker would try: connections that say nothing or read slowly (deadline, places), many requests (bucket per
household; behind a proxy by what the proxy saw, `visitor.py`), a foreign `Host` to be put into links or caches (421),
paths that lead out of a folder (there are tables of files and no look-up), a page around ours (`frame-ancestors`),
markup in names (`clients/web/draw.js` makes text of everything, and the policy allows no inline script).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, Any, Final, cast
from urllib.parse import parse_qsl

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from kontor_games.net.api.http.api_errors import ApiError
from kontor_games.net.api.http.api_http import ApiChannel, ApiRequest, HttpDoor
from kontor_games.net.api.http.guard import SAFE
from kontor_games.net.api.http.ready_file import send_ready
from kontor_games.net.system.buckets import Buckets, Rate

from .pages_site import PageAnswer, PageAsked, PagesSite
from .published_files import PublishedMatch
from .visitor import Proxies

MAX_URI: Final = 512
THINKING: Final = 60.0  # seconds that an answer may take to be made
READING: Final = 30.0  # seconds that a connection may rest, and be read from at least
SLOWEST: Final = 16 * 1024  # bytes a second below which somebody reads too slowly
_log = Logger(namespace="kontor.lobby.pages")


class PagesDoor(HttpDoor):
    """All connections of visitors."""

    def __init__(
        self, reactor: Any, site: PagesSite, proxies: Proxies, rate: Rate, most: int, strict_transport: bool
    ) -> None:
        super().__init__(reactor, most, most)
        self._site = site
        self._proxies = proxies
        self._requests = Buckets(rate)
        self._strict_transport = strict_transport
        self._hosts: frozenset[str] = frozenset()

    def listening(self, hosts: Iterable[str]) -> None:
        """The port is open: browsers ask for one of these hosts."""
        self._hosts = frozenset(host.lower() for host in hosts)

    def admits(self, address: str) -> bool:
        """Everybody may come."""
        return bool(self._hosts)

    def answer(self, request: ApiRequest) -> None:
        """Check who asks for what, then send it."""
        channel = cast(ApiChannel, request.channel)
        if self._proxies.has(channel.address):
            self.recognise(channel)
        self._give(channel, THINKING)
        visitor = self._proxies.visitor(channel.address, request.values("x-forwarded-for"))
        wait = self._requests.take(visitor, self._reactor.seconds())
        if wait > 0:
            request.setHeader("Retry-After", str(int(wait) + 1))
            raise ApiError(429, "too-many", "too many requests in a short time; wait a little")
        if len(request.uri) > MAX_URI:
            raise ApiError(414, "too-long", "the address is too long")
        if request.method.decode("latin-1") not in SAFE:
            request.setHeader("Allow", ", ".join(SAFE))
            raise ApiError(405, "method", "method not allowed; use GET or HEAD")
        hosts = request.values("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise ApiError(421, "host", "these pages have another address")
        if self._strict_transport:
            request.setHeader("Strict-Transport-Security", "max-age=31536000")
        path, _, query = request.uri.decode("latin-1").partition("?")
        asked = PageAsked(path, dict(parse_qsl(query)), visitor)
        sending = Deferred.fromCoroutine(self._site.answer(asked)).addCallback(self._send, request, channel)
        sending.addErrback(self._failed, request, channel)
        sending.addErrback(lambda failure: _log.failure("an answer", failure=failure))

    def _send(self, answer: PageAnswer, request: ApiRequest, channel: ApiChannel) -> None:
        if answer.file is not None:
            self._give(channel, READING)
            self._send_file(answer.file, answer.caching, request, channel)
        elif answer.sent is not None:
            self._give(channel, READING)
            file = answer.sent.open("rb")
            size = os.fstat(file.fileno()).st_size
            request.setHeader("Cache-Control", answer.caching)
            self._stream(file, size, "application/json", request, channel)
        elif answer.page is not None:
            self._give(channel, READING + len(answer.page.data) / SLOWEST)
            send_ready(request, answer.page, answer.caching)

    def _send_file(self, match: PublishedMatch, caching: str, request: ApiRequest, channel: ApiChannel) -> None:
        file = match.open()
        if file is None:
            raise ApiError(404, "not-found", "this file has changed; look again in a moment")
        request.setHeader("Content-Disposition", f'attachment; filename="{match.id}.kontor"')
        request.setHeader("Cache-Control", caching)
        request.setHeader("ETag", f'"{match.id}"')
        self._stream(file, match.size, "application/octet-stream", request, channel)

    def _stream(self, file: IO[bytes], size: int, kind: str, request: ApiRequest, channel: ApiChannel) -> None:
        """Send a file as fast as it is read; whoever stops reading is cut."""
        sending = request.send_file(file, size, kind, lambda: self._give(channel, READING))
        sending.addBoth(lambda _: file.close())

    def _failed(self, failure: Any, request: ApiRequest, channel: ApiChannel) -> None:
        self._give(channel, READING)
        error = failure.value
        if isinstance(error, ApiError) and error.status in (429, 503):
            request.setHeader("Retry-After", "5")
        is_page = not request.path.startswith((b"/api/", b"/files/", b"/s/", b"/words/"))
        if isinstance(error, ApiError) and error.status == 404 and is_page:
            page = self._site.missing()
            request.send(404, page.data, page.content_type)
        else:
            request.fail_with(error)

    def _give(self, channel: ApiChannel, seconds: float) -> None:
        """Let a visitor's connection rest for so long; those of our proxies have the time that HTTP gives them."""
        if channel in self._strangers:
            self._wait_for(channel, seconds)
