"""The bundle at the guest door: a laptop without internet finds here what it needs to become a node of its own.

`/bundle` is a page that says what is needed before anything is downloaded, `/bundle/NAME` the file. Both come from the
newest bundle in the home (`kontor bundle`), looked for again at every request, because it may be made during the party.

Everybody nearby may download, so: a few at once, shared between addresses, each cut when it stops reading or takes too
long; the file is read piece by piece as the other end takes it. Whoever downloads stays a stranger at the door.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from twisted.internet.defer import Deferred, DeferredLock, succeed
from twisted.internet.threads import deferToThread
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.net.api.http.api_errors import ApiError
from kontor_games.net.api.http.api_http import ApiChannel, ApiRequest
from kontor_games.net.bundle.bundle_offer import BundleOffer, files, newest, no_page, page
from kontor_games.net.system.admission import Residents
from kontor_games.net.system.steady import logged

PAGE: Final = "/bundle"
MOST_DOWNLOADS: Final = 8
MOST_SECONDS: Final = 900.0  # for one download: 70 kB/s for 60 MB
_HTML: Final = "text/html; charset=utf-8"
_log = Logger(namespace="kontor.guests")


class DoorBundle:
    """What the door says about the bundle, and the bundle itself."""

    def __init__(self, home: Path, host: Callable[[], str], on_known: Callable[[], None], reactor: Any) -> None:
        self._home = home
        self._host = host
        self._on_known = on_known  # called when the hash of a file that `told` named is known
        self._reactor = reactor
        self._lock = DeferredLock()
        self._seen: object = None  # the files for which `_offer` was found
        self._offer: BundleOffer | None = None
        self._read_for: object = None  # the files that were read because of `told`
        self._downloads: Residents[ApiChannel] = Residents(MOST_DOWNLOADS)

    @property
    def is_there(self) -> bool:
        """Whether there is one, without reading it."""
        return bool(files(self._home))

    def told(self, url: str) -> dict[str, str]:
        """For the host's screens: where it is, and how its hash begins, which is told as soon as it is known."""
        seen = files(self._home)
        if seen not in ((), self._seen, self._read_for):
            self._read_for = seen
            logged(self._lock.run(self._find).addCallback(lambda _: self._on_known()), _log, "the hash of a bundle")
        mark = self._offer.mark if seen == self._seen and self._offer is not None else ""
        return {"bundle": f"{url}{PAGE[1:]}" if seen else "", "bundle_mark": mark}

    def answer(self, request: ApiRequest, path: str, stays: Callable[[], None]) -> None:
        """Answer at this path, once the bundle is known; `stays` is called whenever a piece has been taken."""

        def found(offer: BundleOffer | None) -> None:
            if path == PAGE:
                text = no_page(self._host()) if offer is None else page(offer, self._host(), f"{PAGE}/{offer.name}")
                request.send(200, text.encode(), _HTML)
            elif offer is None or path != f"{PAGE}/{offer.name}":
                raise ApiError(404, "not-found", "there is no such page here")
            else:
                self._send(request, offer, stays)

        logged(self._lock.run(self._find).addCallback(found).addErrback(request.failed), _log, "a bundle's page")

    def _find(self) -> Deferred[BundleOffer | None]:
        """The newest bundle; its hash is made in a thread, once for each file."""
        seen = files(self._home)
        if seen == self._seen:
            return succeed(self._offer)

        def kept(offer: BundleOffer | None) -> BundleOffer | None:
            self._seen, self._offer = seen, offer
            return offer

        return deferToThread(newest, self._home).addCallback(kept)

    def _send(self, request: ApiRequest, offer: BundleOffer, stays: Callable[[], None]) -> None:
        channel = cast(ApiChannel, request.channel)
        try:
            file = offer.path.open("rb")
        except OSError as error:
            raise StoreError(f"{offer.name} cannot be read: {error.strerror}") from None
        gone = self._downloads.enter(channel, channel.address)
        if gone is channel:
            file.close()
            raise ApiError(503, "busy", "too many people download it just now; try again in a minute")
        if gone is not None:
            cast(Any, gone.transport).abortConnection()
        until = self._reactor.seconds() + MOST_SECONDS

        def taken() -> None:
            stays()
            if self._reactor.seconds() > until:
                cast(Any, channel.transport).abortConnection()

        def ended(_: object) -> None:
            file.close()
            self._downloads.leave(channel)

        request.setHeader("Content-Disposition", f'attachment; filename="{offer.name}"')
        stays()
        logged(request.send_file(file, offer.size, "application/zip", taken).addBoth(ended), _log, "a download")
