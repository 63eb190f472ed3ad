"""Talking to the node without making the screen wait: requests on one thread, events on another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kontor_games.clients.node.node_connection import LOST, NodeConnection, Restarted, Stopped
from kontor_games.clients.tui.draw.fitted_text import cleaned

AWAY = (*LOST, ValueError, Restarted, Stopped)  # what a node that ends leaves behind


class Talk:
    """The node's answers and events, cleaned; used from the event loop alone."""

    def __init__(self, node: NodeConnection) -> None:
        self._node = node
        self._requests = ThreadPoolExecutor(1, "kontor-requests")  # one after the other: answers never overtake
        self._stopped = threading.Event()
        self._listener: threading.Thread | None = None

    @property
    def home(self) -> Path | None:
        """Where the node keeps its files, if that is known."""
        home: Path | None = getattr(self._node, "home", None)
        return home

    async def get(self, path: str) -> Any:
        return await self._do("GET", path, None)

    async def post(self, path: str, body: object) -> Any:
        return await self._do("POST", path, body)

    async def _do(self, method: str, path: str, body: object) -> Any:
        loop = asyncio.get_running_loop()
        return cleaned(await loop.run_in_executor(self._requests, self._node.ask, method, path, body))

    def listen(self, heard: Callable[[dict[str, Any]], None]) -> None:
        """Tell every event in the loop, from now on and through restarts of the node; `open` and `closed` besides."""
        loop = asyncio.get_running_loop()

        def follow() -> None:
            for event in self._node.events():
                if not self._stopped.is_set():
                    loop.call_soon_threadsafe(heard, cleaned(event))

        self._listener = threading.Thread(target=follow, name="kontor-events", daemon=True)
        self._listener.start()

    async def renew(self) -> None:
        """The node is there again: what is left of the old connection would only fail."""
        await asyncio.get_running_loop().run_in_executor(self._requests, self._node.renew)

    def close(self) -> None:
        """End both threads."""
        self._stopped.set()
        self._node.close()
        self._requests.shutdown(wait=False, cancel_futures=True)
        if self._listener is not None:
            self._listener.join(timeout=2)
