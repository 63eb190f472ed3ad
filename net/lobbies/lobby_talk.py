"""A node's half of the talk with a lobby: sign-in, numbered requests, what the lobby says. A machine without I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kontor_games.engine.errors import LocalError, RemoteError
from kontor_games.net.wire.frames import FrameReader, pack_frame
from kontor_games.net.wire.identity import Signer, fingerprint
from kontor_games.net.wire.lobby_messages import (
    LOBBY_VERSIONS,
    PEOPLE_VERSION,
    Answer,
    Command,
    Event,
    Refusal,
    Request,
    SignedIn,
    SignIn,
    TurnedAway,
    Welcome,
    decode_from_lobby,
    encode,
    sign_in_bytes,
)
from kontor_games.net.wire.messages import Ping, Pong

MAX_OPEN: Final = 256  # requests without an answer


@dataclass(frozen=True, slots=True)
class WriteTalk:
    """Send these bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Accepted:
    """The lobby let this node in."""

    title: str
    answer: SignedIn


@dataclass(frozen=True, slots=True)
class Answered:
    """The lobby's answer to one request."""

    answer: Answer | Refusal


@dataclass(frozen=True, slots=True)
class Told:
    """Something that the lobby says by itself."""

    event: Event


@dataclass(frozen=True, slots=True)
class CloseTalk:
    """End the connection; the reason is for people. `retry` unless the lobby does not want this node."""

    reason: str
    retry: bool


Effect = WriteTalk | Accepted | Answered | Told | CloseTalk


class LobbyTalk:
    """One connection to one lobby; `lobby` is the key that TLS has shown."""

    def __init__(self, signer: Signer, name: str, port: int, lobby: bytes, software: str = "", home: str = "") -> None:
        self.is_open = False
        self.version = 0  # what both sides speak, once the lobby has said hello
        self.ping_every = 30.0
        self._signer = signer
        self._name, self._port, self._software, self._home = name, port, software, home
        self._lobby = lobby
        self._title = ""
        self._is_welcome = False
        self._is_closed = False
        self._number = 0
        self._open: set[int] = set()
        self._pings = 0
        self._reader = FrameReader()
        self._reader.greeted = True  # it is we who chose the lobby

    def bytes_received(self, data: bytes) -> list[Effect]:
        """The next piece of the lobby's stream."""
        self._reader.feed(data)
        effects: list[Effect] = []
        try:
            while not self._is_closed and (frame := self._reader.next()) is not None:
                effects += self._received(frame[1])
        except RemoteError as error:
            self._is_closed = True
            effects.append(CloseTalk(str(error), retry=True))
        return effects

    def ask(self, command: Command) -> tuple[int, list[Effect]]:
        """Send a request; its number comes back with the answer."""
        if not self.is_open:
            raise LocalError("a lobby can be asked only after it has let this node in")
        if len(self._open) >= MAX_OPEN:
            raise LocalError(f"{MAX_OPEN} requests wait for an answer already")
        self._number += 1
        self._open.add(self._number)
        return self._number, [WriteTalk(pack_frame(encode(Request(self._number, command))))]

    def ping(self) -> list[Effect]:
        """Say that we are there; due every `ping_every` seconds."""
        self._pings += 1
        return [WriteTalk(pack_frame(encode(Ping(self._pings))))] if self.is_open else []

    def _received(self, body: bytes) -> list[Effect]:
        message = decode_from_lobby(body)
        if not self.is_open:
            return self._at_the_door(message)
        match message:
            case Answer(n=number) | Refusal(n=number):
                if number not in self._open:
                    raise RemoteError(f"an answer to request {number}, which is not open")
                self._open.remove(number)
                return [Answered(message)]
            case Pong():
                return []
            case Welcome() | SignedIn() | TurnedAway():
                raise RemoteError(f"{type(message).__name__} after the sign-in")
        return [Told(message)]

    def _at_the_door(self, message: object) -> list[Effect]:
        match message:
            case TurnedAway(code=code, reason=reason):
                self._is_closed = True
                return [
                    CloseTalk(f"the lobby turned us away: {reason}", retry=code not in ("banned", "name", "version"))
                ]
            case Welcome() if not self._is_welcome:
                return self._sign_in(message)
            case SignedIn() if self._is_welcome:
                self.is_open = True
                self.ping_every = max(1.0, message.ping_every / 1000)
                return [Accepted(self._title, message)]
        raise RemoteError(f"{type(message).__name__} before the sign-in")

    def _sign_in(self, welcome: Welcome) -> list[Effect]:
        if welcome.lobby != self._lobby:
            # Signing for another key would let this lobby sign in there in our name.
            raise RemoteError(f"the lobby claims to be {fingerprint(welcome.lobby)}, its certificate says otherwise")
        common = set(welcome.versions) & set(LOBBY_VERSIONS)
        if not common:
            raise RemoteError(f"no common version: theirs {welcome.versions}, ours {LOBBY_VERSIONS}")
        self._is_welcome, self._title, self.version = True, welcome.title, max(common)
        sig = self._signer.sign("lobby", sign_in_bytes(self._lobby, welcome.challenge))
        home = self._home if self.version >= PEOPLE_VERSION else ""
        ask = SignIn(self.version, self._signer.key, self._name, sig, self._port, self._software, home)
        return [WriteTalk(pack_frame(encode(ask)))]
