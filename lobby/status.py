"""Metrics and health over HTTP, on a port of their own that only this machine should reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from twisted.web.resource import Resource
from twisted.web.server import Site

from kontor_games.lobby.settings.metrics import Metrics

Page = Callable[[Any], bytes]


class _Leaf(Resource):
    isLeaf = True

    def __init__(self, page: Page) -> None:
        cast(Any, super()).__init__()
        self._page = page

    def render_GET(self, request: Any) -> bytes:
        """The page as it is now."""
        return self._page(request)


def status_site(metrics: Metrics, why_not_healthy: Callable[[], str | None]) -> Any:
    """`/metrics` for Prometheus; `/health` is 200 while the lobby can do its work, else 503 with the reason."""

    def counters(request: Any) -> bytes:
        request.setHeader(b"content-type", CONTENT_TYPE_LATEST.encode())
        return generate_latest(metrics.registry)

    def health(request: Any) -> bytes:
        reason = why_not_healthy()
        request.setHeader(b"content-type", b"text/plain; charset=utf-8")
        request.setResponseCode(503 if reason else 200)
        return f"{reason or 'ok'}\n".encode()

    root = cast(Any, Resource)()
    root.putChild(b"metrics", _Leaf(counters))
    root.putChild(b"health", _Leaf(health))
    site = cast(Any, Site)(root)
    site.noisy = False
    site.displayTracebacks = False
    return site
