"""From method and path to the function that answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Final

import msgspec

from .api_errors import ApiError, bad_request, forbidden, not_found
from .body_errors import what_is_wrong
from .tokens import Scope

PREFIX: Final = "/api/1/"
MAX_BODY: Final = 64 * 1024
MAX_UPLOAD: Final = 64 * 1024 * 1024
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class ApiCall:
    """One request, checked as far as it can be without knowing what is asked."""

    scope: Scope
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Any = None
    upload: IO[bytes] | None = None


@dataclass(frozen=True)
class Blob:
    """An answer that is not JSON: bytes to be saved under a name."""

    data: bytes
    name: str


@dataclass(frozen=True)
class Route:
    """One thing that can be asked; answers are plain data, a Blob, or a Deferred of either."""

    method: str
    path: str  # segments; {name} stands for an id
    handler: Callable[[ApiCall], Any]
    body: type[Any] | None = None
    seat: bool = False  # whether the token of a seat is enough
    upload: bool = False
    segments: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.path.split("/")))


class Router:
    """All routes."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self._alike: dict[tuple[int, str], list[Route]] = {}  # by number of segments and the first, which is a word
        for route in self.routes:
            self._alike.setdefault((len(route.segments), route.segments[0]), []).append(route)
        self._decoders = {
            route.body: msgspec.json.Decoder(route.body) for route in self.routes if route.body is not None
        }

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """The route for this request and the ids in its path."""
        if not path.startswith(PREFIX):
            raise not_found("such page")
        segments = path.removeprefix(PREFIX).split("/")
        alike = self._alike.get((len(segments), segments[0]), ())
        found = [(route, ids) for route in alike if (ids := _match(route, segments)) is not None]
        if not found:
            raise not_found("such page")
        for route, ids in found:
            if route.method == method:
                return route, ids
        allowed = " or ".join(sorted({route.method for route, _ in found}))
        raise ApiError(405, "method", f"method not allowed; use {allowed}")

    def call(self, route: Route, ids: dict[str, str], scope: Scope, query: Mapping[str, str], body: IO[bytes]) -> Any:
        """Check the rights and the body, then let the route answer."""
        if not scope.is_owner and not (route.seat and ids.get("id", scope.match) == scope.match):
            raise forbidden("the token of a seat does not allow this")
        if route.upload:
            return route.handler(ApiCall(scope, ids, query, None, body))
        return route.handler(ApiCall(scope, ids, query, self._decode(route, body.read(MAX_BODY + 1))))

    def _decode(self, route: Route, raw: bytes) -> Any:
        if route.body is None:
            if raw.strip() not in (b"", b"{}"):
                raise bad_request("this request takes no body: send none")
            return None
        try:
            return self._decoders[route.body].decode(raw or b"{}")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise bad_request(what_is_wrong(raw, str(error))) from None


def seat_number(text: str) -> int | None:
    """A seat in a query; `none` stands for a spectator."""
    if text == "none":
        return None
    if len(text) == 1 and text.isascii() and text.isdigit():
        return int(text)
    raise bad_request(f"a seat is a number from 0 to 7, or none for a spectator's view, not {text[:20]!a}")


def place_number(text: str) -> int:
    """A place in a list, in a query."""
    if len(text) <= 9 and text.isascii() and text.isdigit():
        return int(text)
    raise bad_request(f"from is a number, not {text[:20]!a}; 0 is the first place")


def _match(route: Route, segments: list[str]) -> dict[str, str] | None:
    ids: dict[str, str] = {}
    for wanted, found in zip(route.segments, segments, strict=True):
        if wanted.startswith("{"):
            if not _ID.fullmatch(found):
                return None
            ids[wanted[1:-1]] = found
        elif wanted != found:
            return None
    return ids
