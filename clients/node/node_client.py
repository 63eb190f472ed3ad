"""The node as commands use it: found or started, asked, listened to; its crash is survived, its stop not undone."""

from __future__ import annotations

import http.client
import threading
import time
from pathlib import Path
from typing import Any

from kontor_games.clients.cli.commands.games_command import find_game
from kontor_games.clients.cli.match.inbox import Inbox
from kontor_games.clients.node_process import ensure, home_of, was_stopped

from .node_link import Asking, NodeLink, Refused

LOST = (OSError, http.client.HTTPException)
ANSWER_SECONDS = 30.0


class Stopped(Exception):
    """Somebody ended the node in order."""

    def __init__(self) -> None:
        super().__init__("the node was stopped")


class Restarted(Exception):
    """The node died before it answered; it runs again, and whether it did what was asked has to be looked up."""

    def __init__(self) -> None:
        super().__init__("the node had to be started again; look whether the last step was made")


class NodeClient(Asking):
    """One command's connection; calls come from one thread."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home_of(home)
        self.link = self._connect()
        self.hello: dict[str, Any] = self.link.get("hello")
        self._ears: NodeLink | None = None
        self._is_closed = False

    def game(self, game: str) -> dict[str, Any]:
        """What the node tells about a game; click's error if it has none of this name."""
        return find_game(self.get("games")["games"], game)

    def listen(self, inbox: Inbox) -> None:
        """Put all events from now on into the inbox; `stopped` is the last one if the node is ended in order."""
        threading.Thread(target=self._listen, args=(inbox, self.hello["last"]), name="events", daemon=True).start()

    def close(self) -> None:
        """Let go of the node, which lives on."""
        self._is_closed = True
        self.link.close()
        if self._ears is not None:
            self._ears.close()

    def ask(self, method: str, path: str, body: object) -> Any:
        try:
            return self.link.ask(method, path, body)
        except LOST as error:
            if was_stopped(self.home):
                raise Stopped from None
            self.link = self._connect()
            if method == "GET" or isinstance(error, ConnectionRefusedError):
                return self.link.ask(method, path, body)
            raise Restarted from None  # it may have been done: asking twice could do it twice

    def _connect(self) -> NodeLink:
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            running = ensure(self.home)
            link = NodeLink(running.port, running.token)
            try:
                link.get("hello")
            except (*LOST, Refused):  # it is just starting, or just gone
                link.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
            else:
                return link

    def _listen(self, inbox: Inbox, since: int) -> None:
        link = self._ears = NodeLink(*self.link.address)
        while not self._is_closed:
            try:
                for event in link.events(since):
                    since = event.get("n", since)
                    inbox.put(event)
            except (*LOST, Refused, ValueError):
                pass
            if self._is_closed:
                return
            try:
                if was_stopped(self.home):
                    break
                link = self._ears = self._connect()
            except Exception as error:  # whatever it is, a person has to know that nothing more is heard
                inbox.put({"kind": "stopped", "reason": str(error)})
                return
        inbox.put({"kind": "stopped", "reason": ""})
