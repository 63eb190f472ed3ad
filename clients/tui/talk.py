"""Talking to the node without making the screen wait: requests on one thread, events on another."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wsproto.utilities import ProtocolError

from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.clients.tui.draw.fitted_text import cleaned

RETRY_SECONDS = 0.5
AGAIN = "node away, trying again"
AWAY = (OSError, http.client.HTTPException, ValueError)  # what a node that ends leaves behind


class Talk:
    """The node's answers and events, cleaned; used from the event loop alone."""

    def __init__(self, link: NodeLink, revive: Callable[[], NodeLink | None] | None = None) -> None:
        self._link = link
        self._revive = revive  # brings a node back that has crashed; None comes from it if it was stopped in order
        self._requests = ThreadPoolExecutor(1, "kontor-requests")  # one after the other: answers never overtake
        self._stopped = threading.Event()
        self._stream: NodeLink | None = None
        self._listener: threading.Thread | None = None

    async def get(self, path: str) -> Any:
        """An answer. A node that has started anew since the last request is asked again."""
        try:
            return await self._do("GET", path, None)
        except AWAY:
            return await self._do("GET", path, None)

    async def post(self, path: str, body: object) -> Any:
        return await self._do("POST", path, body)

    async def _do(self, method: str, path: str, body: object) -> Any:
        return cleaned(await asyncio.get_running_loop().run_in_executor(self._requests, self._ask, method, path, body))

    def _ask(self, method: str, path: str, body: object) -> Any:
        return self._link.ask(method, path, body)

    def listen(self, heard: Callable[[dict[str, Any]], None]) -> None:
        """Tell every event in the loop, from now on and through restarts of the node; `open` and `closed` besides."""
        loop = asyncio.get_running_loop()

        def tell(event: dict[str, Any]) -> None:
            if not self._stopped.is_set():
                loop.call_soon_threadsafe(heard, cleaned(event))

        self._listener = threading.Thread(target=self._follow, args=(tell,), name="kontor-events", daemon=True)
        self._listener.start()

    def _follow(self, tell: Callable[[dict[str, Any]], None]) -> None:
        since: int | None = None
        while not self._stopped.is_set():
            self._stream = self._link.another()
            reason = AGAIN
            try:
                for event in self._stream.events(since):
                    since = event.get("n", since)
                    tell(event)
            except Refused:
                reason = "the node takes no more listeners now, trying again"
            except (*AWAY, ProtocolError):
                pass  # it is tried again until the screen is left
            tell({"kind": "closed", "reason": reason})
            self._stopped.wait(RETRY_SECONDS)
            if reason == AGAIN and self._revive is not None and not self._stopped.is_set():
                self._link = self._revive() or self._link  # it may have come back at another port

    async def renew(self) -> None:
        """The node is there again: what is left of the old connection would only fail."""
        await asyncio.get_running_loop().run_in_executor(self._requests, lambda: self._link.close())

    def close(self) -> None:
        """End both threads."""
        self._stopped.set()
        if self._stream is not None:
            self._stream.close()
        self._requests.shutdown(wait=False, cancel_futures=True)
        if self._listener is not None:
            self._listener.join(timeout=2)
