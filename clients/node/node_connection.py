"""The node as its clients use it, through losses of the connection and restarts of the node.

A node may crash and be started again, at another port, while a client sits at a match. What a client needs then is the
same for a command, for the full screen and for a bot:

1. A question (GET) is asked again. So is whatever could not be sent, because nobody took the connection.
2. Anything else may have been done before the node died: it is not sent a second time, and the caller learns it
   (`Restarted`).
3. Events go on after the last one that was heard, so that none is missed; a client that is told `closed` shows that it
   hears nothing until it is told `open`.
4. A node that somebody stopped in order is not started again (`Stopped`).

How a lost node is found again differs, so whoever makes a connection hands in `find`.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .node_link import Asking, NodeLink, Refused

LOST = (OSError, http.client.HTTPException)
PAUSES = (0.2, 0.5, 1.0, 3.0)  # seconds before the next try, longer each time nothing was heard
FOR_GOOD = (401, 403, 404)  # the token or what it was good for is gone
AGAIN = "node away, trying again"
FULL = "the node takes no more listeners now, trying again"


class Stopped(Exception):
    """Somebody ended the node in order."""

    def __init__(self) -> None:
        super().__init__("the node was stopped")


class Restarted(Exception):
    """The node died before it answered; it runs again, and whether it did what was asked has to be looked up."""

    def __init__(self) -> None:
        super().__init__("the node had to be started again; look whether the last step was made")


class NodeConnection(Asking):
    """Questions come from one thread, events are read by another."""

    def __init__(self, link: NodeLink, find: Callable[[], NodeLink]) -> None:
        self._link = link
        self._find = find  # a link to the node after it was lost; may wait, may raise Stopped
        self._ears: NodeLink | None = None
        self._closed = threading.Event()

    def ask(self, method: str, path: str, body: object) -> Any:
        try:
            return self._link.ask(method, path, body)
        except LOST as error:
            if self.is_closed:
                raise  # nobody waits for the answer: a node that crashed meanwhile is not started for it
            self._link = self._find()
            if method == "GET" or isinstance(error, ConnectionRefusedError):
                return self._link.ask(method, path, body)
            raise Restarted from None

    def events(self, since: int | None = None) -> Iterator[dict[str, Any]]:
        """Events after number `since`, or from now on; `open` and `closed` besides. Ends when this is closed.

        Raises Stopped if the node was ended in order, and Refused if it will never listen to us again.
        """
        self._ears = self._link.another()
        failures = 0
        while not self._closed.is_set():
            reason = AGAIN
            try:
                for event in self._ears.events(since):
                    since = event.get("n", since)
                    failures = 0
                    yield event
            except Refused as refused:
                if refused.status in FOR_GOOD:
                    raise
                reason = FULL
            except (*LOST, ValueError):  # what a node that ends in mid-sentence leaves behind
                pass
            if self._closed.is_set():
                return
            yield {"kind": "closed", "reason": reason}
            self._closed.wait(PAUSES[min(failures, len(PAUSES) - 1)])
            failures += 1
            if reason == AGAIN and not self._closed.is_set():
                self._ears = self._find()

    @property
    def is_closed(self) -> bool:
        """Whether nobody uses it any more."""
        return self._closed.is_set()

    def renew(self) -> None:
        """The node is there again: what is left of the old connection would only fail."""
        self._link.close()

    def close(self) -> None:
        """Let go of the node, which lives on; a thread that waits for events gets their end."""
        self._closed.set()
        self._link.close()
        if self._ears is not None:
            self._ears.close()
