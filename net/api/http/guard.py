"""The door of the API: no foreign host name, no foreign page, no flood gets past it. Pure checks over headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from kontor_games.net.system.buckets import Bucket, Buckets, Rate

from .api_errors import ApiError, forbidden, unauthorised
from .tokens import Scope, Tokens

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
SAFE: Final = ("GET", "HEAD")
REQUESTS: Final = Rate(100.0, 400.0)  # of one client
STRANGERS: Final = Rate(5.0, 60.0)  # refused sign-ins of everybody together
MAX_CLIENTS: Final = 256


class Headers(Protocol):
    """What the guard sees of a request."""

    def values(self, name: str) -> Sequence[str]:
        """All values of a header, decoded."""

    def cookie(self, name: str) -> str | None:
        """The value of a cookie."""


class Guard:
    """Who may come in."""

    def __init__(self, port: int, tokens: Tokens, seconds: Callable[[], float]) -> None:
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._origins = tuple(f"http://{host}" for host in self._hosts)
        self.cookie_name = f"kontor-{port}"  # cookies know no ports: two nodes on one machine must not meet in one
        self._tokens = tokens
        self._seconds = seconds
        self._clients = Buckets(REQUESTS, MAX_CLIENTS)
        self._strangers = Bucket(STRANGERS)

    def check_host(self, headers: Headers) -> None:
        """No DNS trick: the browser must have asked for loopback by name or number."""
        hosts = headers.values("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise ApiError(421, "host", "this node answers only at 127.0.0.1 and localhost")

    def check_origin(self, headers: Headers) -> None:
        """No foreign page, not even one of another port of this machine."""
        origins = headers.values("origin")
        if len(origins) > 1 or any(origin.lower() not in self._origins for origin in origins):
            raise forbidden("requests from other pages are not answered")
        sites = headers.values("sec-fetch-site")
        if any(site not in ("same-origin", "none") for site in sites):
            raise forbidden("requests from other pages are not answered")

    def scope(self, method: str, headers: Headers, websocket: bool = False) -> Scope:
        """Who asks; raises unless a good token came in a way that no foreign page can use."""
        given = headers.values("authorization")
        if given:
            return self._bearer(given)
        value = headers.cookie(self.cookie_name)
        scope = None if value is None else self._tokens.cookie(value)
        if scope is None:
            raise self._stranger()
        if websocket and not headers.values("origin"):
            raise forbidden("a WebSocket that signs in with a cookie must name its origin")
        if method not in SAFE and headers.values("x-kontor") != ["1"]:
            raise forbidden("changes need the header X-Kontor: 1")
        self._count("cookie")
        return scope

    def _bearer(self, given: Sequence[str]) -> Scope:
        word, _, token = given[0].partition(" ")
        scope = self._tokens.bearer(token.strip()) if len(given) == 1 and word.lower() == "bearer" else None
        if scope is None:
            raise self._stranger()
        self._count("owner" if scope.is_owner else f"{scope.match}/{scope.seat}")
        return scope

    def _stranger(self) -> ApiError:
        # Asked only after the token was found to be wrong: a flood of them must not lock the owner out.
        if self._strangers.take(self._seconds()) > 0:
            return ApiError(429, "too-many", "too many attempts with wrong tokens; wait a little")
        return unauthorised()

    def _count(self, client: str) -> None:
        if self._clients.take(client, self._seconds()) > 0:
            raise ApiError(429, "too-many", "too many requests in a short time; wait a little")
