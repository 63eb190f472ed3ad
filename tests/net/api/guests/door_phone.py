"""A phone as a program: pages and the sealed channel over real sockets."""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import struct
import time
from typing import Any, ClassVar
from urllib.parse import urlsplit

from .phone import CODE, DEVICE, LINK, Phone

WAIT = 30.0


class Closed(Exception):
    """The node has ended the connection; with the code of the WebSocket, 0 if there was none."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


class RawSocket:
    """A WebSocket, as little of one as a test needs; `close_all` closes those that a test has left open."""

    opened: ClassVar[list[RawSocket]] = []

    def __init__(
        self, url: str, origin: str | None = None, host: str | None = None, path: str = "/ws", machine: str = ""
    ) -> None:
        parts = urlsplit(url)
        at = (machine, 0) if machine else None
        self.wire = socket.create_connection((parts.hostname, parts.port), timeout=WAIT, source_address=at)
        self.opened.append(self)
        self._data = b""
        self.seen = b""  # what a listener on the Wi-Fi has: both directions, without the masks of WebSockets
        key = base64.b64encode(os.urandom(16)).decode()
        head = {
            "Host": host or parts.netloc,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Version": "13",
            "Origin": f"http://{parts.netloc}" if origin is None else origin,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
        self.wire.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        answer = self._until(b"\r\n\r\n")
        self.status = int(answer.split(b" ")[1]) if answer else 0

    def send(self, data: bytes, opcode: int = 2, last: bool = True) -> None:
        self.seen += data
        mask = os.urandom(4)
        size = len(data)
        head = bytes([(0x80 if last else 0) | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        else:
            head += struct.pack("!BH", 0x80 | 126, size) if size < 65536 else struct.pack("!BQ", 0x80 | 127, size)
        self.wire.sendall(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))

    def receive(self) -> bytes:
        """The next message; pings are answered on the way."""
        while True:
            first, second = self._take(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack("!H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._take(8))
            data = self._take(size)
            match first & 15:
                case 8:
                    raise Closed(int.from_bytes(data[:2], "big"))
                case 9:
                    self.send(data, 10)
                case 10:
                    pass
                case _:
                    return data

    def close(self) -> None:
        self.wire.close()

    @classmethod
    def close_all(cls) -> None:
        while cls.opened:
            cls.opened.pop().close()

    def _take(self, size: int) -> bytes:
        while len(self._data) < size:
            self._read()
        taken, self._data = self._data[:size], self._data[size:]
        return taken

    def _until(self, mark: bytes) -> bytes:
        try:
            while mark not in self._data:
                self._read()
        except Closed:
            return b""
        taken, _, self._data = self._data.partition(mark)
        return taken

    def _read(self) -> None:
        try:
            more = self.wire.recv(65536)
        except ConnectionError:
            more = b""
        if not more:
            raise Closed(0)
        self._data += more
        self.seen += more


class DoorPhone:
    """A phone that pairs, asks and listens."""

    def __init__(self, url: str, kind: int, secret: bytes = b"", machine: str = "", **first: Any) -> None:
        self.url = url
        self.socket = RawSocket(url, machine=machine)
        assert self.socket.status == 101, self.socket.status
        self.phone = Phone(kind, secret)
        self.socket.send(self.phone.hello)
        self.socket.send(self.phone.meet(self.socket.receive()))
        self.events: list[dict[str, Any]] = []
        self.you: dict[str, Any] = {}
        self.refusal = ""
        self._number = 0
        self.say({"hello": first})

    @classmethod
    def by_link(cls, link: str, name: str) -> DoorPhone:
        url, _, secret = link.partition("#")
        return cls(url, LINK, base64.urlsafe_b64decode(secret + "=="), name=name).welcomed()

    @classmethod
    def by_code(cls, url: str, code: str, name: str) -> DoorPhone:
        return cls(url, CODE, name=name, code=code).welcomed()

    def again(self, since: int = 0) -> DoorPhone:
        """The same phone with another connection."""
        return DoorPhone(self.url, DEVICE, self.device, since=since).welcomed()

    @property
    def device(self) -> bytes:
        return self.phone.secret if self.phone.hello[3] == DEVICE else self.phone.device

    def welcomed(self) -> DoorPhone:
        self.until(lambda told: "you" in told or "refused" in told)
        return self

    def say(self, message: dict[str, Any]) -> None:
        self.socket.send(self.phone.seal(json.dumps(message).encode()))

    def hear(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.phone.open(self.socket.receive()))
        if "you" in told:
            self.you = told["you"]
        self.refusal = told.get("refused", self.refusal)
        if "event" in told:
            self.events.append(told["event"])
        return told

    def until(self, found: Any) -> dict[str, Any]:
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            told = self.hear()
            if found(told):
                return told
        raise AssertionError("it was not told in time")

    def ask(self, method: str, path: str, body: Any = None, id: str | None = None) -> tuple[int, Any]:
        self._number += 1
        number = id or f"t-{self._number}"
        self.say({"ask": {"id": number, "method": method, "path": path, **({} if body is None else {"body": body})}})
        told = self.until(lambda told: told.get("answer") == number)
        return told["status"], told["data"]

    def get(self, path: str) -> Any:
        status, data = self.ask("GET", path)
        assert status == 200, data
        return data

    def post(self, path: str, body: Any) -> Any:
        status, data = self.ask("POST", path, body)
        assert status == 200, data
        return data

    def close(self) -> None:
        self.socket.close()


def page(url: str, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """One request to the door."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=WAIT)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": parts.netloc, **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()
