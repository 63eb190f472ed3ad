"""A client's connection to the node: requests over HTTP, events over a WebSocket. It blocks; threads have one each."""

from __future__ import annotations

import http.client
import json
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

MAX_ANSWER = 64 * 1024 * 1024
SILENCE_SECONDS = 65.0
IDLE_SECONDS = 30.0  # the node closes a silent connection after 60


class Refused(Exception):
    """The node said no; the text is for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Asking(ABC):
    """Whoever can be asked by method and path, under `/api/1/`."""

    @abstractmethod
    def ask(self, method: str, path: str, body: object) -> Any:
        """One request; Refused if the node says no, OSError or HTTPException if it does not answer."""

    def get(self, path: str) -> Any:
        return self.ask("GET", path, None)

    def post(self, path: str, body: object = None) -> Any:
        return self.ask("POST", path, body)

    def put(self, path: str, body: object) -> Any:
        return self.ask("PUT", path, body)

    def delete(self, path: str) -> Any:
        return self.ask("DELETE", path, None)


class NodeLink(Asking):
    """One client; not to be shared between threads."""

    def __init__(self, port: int, token: str) -> None:
        self.address = (port, token)  # what another link to the same node needs
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None
        self._used_at = 0.0
        self._stream: socket.socket | None = None

    def another(self) -> NodeLink:
        """A second client of the same node, for another thread."""
        return NodeLink(*self.address)

    def close(self) -> None:
        """End everything, from whatever thread; one that waits for events gets their end, one that asks an error."""
        connection, self._connection = self._connection, None
        for wire in (self._stream, connection.sock if connection is not None else None):
            if wire is not None:
                with suppress(OSError):
                    wire.shutdown(socket.SHUT_RDWR)
        if connection is not None:
            connection.close()

    def events(self, since: int | None = None) -> Iterator[dict[str, Any]]:
        """Events as they come, until the connection ends; the first says {"kind": "open"}."""
        from wsproto.utilities import ProtocolError

        try:
            yield from self._events(since)
        except ProtocolError as error:
            raise ConnectionError(f"the node's events cannot be read: {error}") from None

    def _events(self, since: int | None) -> Iterator[dict[str, Any]]:
        from wsproto import ConnectionType, WSConnection
        from wsproto.events import AcceptConnection, CloseConnection, Ping, RejectConnection, Request, TextMessage

        with socket.create_connection(("127.0.0.1", self._port), timeout=SILENCE_SECONDS) as wire:
            self._stream = wire
            talk = WSConnection(ConnectionType.CLIENT)
            target = "/api/1/events" + ("" if since is None else f"?since={since}")
            headers = [(b"Authorization", self._headers["Authorization"].encode("ascii"))]
            wire.sendall(talk.send(Request(f"127.0.0.1:{self._port}", target, extra_headers=headers)))
            text = ""
            while data := wire.recv(1 << 16):
                talk.receive_data(data)
                for event in talk.events():
                    match event:
                        case AcceptConnection():
                            yield {"kind": "open"}
                        case RejectConnection():
                            raise Refused(event.status_code, "events", "the node refuses its events")
                        case TextMessage():
                            text += event.data
                            if len(text) > MAX_ANSWER:
                                raise Refused(500, "too-long", "the node says too much")
                            if event.message_finished:
                                whole, text = text, ""
                                yield json.loads(whole)
                        case Ping():
                            wire.sendall(talk.send(event.response()))
                        case CloseConnection():
                            return

    def ask(self, method: str, path: str, body: object) -> Any:
        raw = None if body is None else json.dumps(body)
        if self._connection is not None and time.monotonic() - self._used_at > IDLE_SECONDS:
            self.close()  # the node may be closing it just now, and a POST must not be sent twice
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection = self._connection
        try:
            connection.request(method, f"/api/1/{path}", raw, self._headers)
            answer = connection.getresponse()
            data = answer.read(MAX_ANSWER)
        except BaseException as error:  # Ctrl-C too: a connection with half an answer on it is of no use to the next
            connection.close()
            if self._connection is connection:
                self._connection = None
                raise
            if not isinstance(error, Exception):
                raise
            raise ConnectionAbortedError("the connection was closed while the node was asked") from error
        self._used_at = time.monotonic()
        if answer.status >= 400:
            said = json.loads(data) if data.startswith(b"{") else {}
            raise Refused(answer.status, said.get("error", ""), said.get("message", f"HTTP {answer.status}"))
        return json.loads(data) if answer.headers.get_content_type() == "application/json" else data
