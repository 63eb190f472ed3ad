"""A node's connection to a lobby on Twisted: TLS to the pinned key around the machine of net/lobbies/lobby_talk.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from OpenSSL import crypto
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHandshakeListener
from twisted.internet.protocol import Factory, connectionDone
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from zope.interface import implementer

from kontor_games.engine.errors import RemoteError
from kontor_games.net.links.tls import ConnectionCreator, explain_tls
from kontor_games.net.system.clock import Clock, Timer
from kontor_games.net.system.version import version
from kontor_games.net.wire.identity import Identity, fingerprint
from kontor_games.net.wire.lobby_messages import Answer, Command, Event, Refusal, Result, SignedIn

from .lobby_talk import Accepted, Answered, CloseTalk, Effect, LobbyTalk, Told, WriteTalk
from .lobby_tls import lobby_key_of

SILENCE = 3  # pings without a sound from the lobby


class LobbyRefused(RemoteError):
    """The lobby refused a request; `code` and `wait` (seconds) are for programs, the text is for people."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.code = refusal.code
        self.wait = refusal.wait / 1000


@implementer(IHandshakeListener)
class LobbyLink(TwistedProtocol):
    """One connection to a lobby. `accepted` fires when it has let us in, or fails with the reason why not."""

    def __init__(
        self,
        reactor: Clock,
        identity: Identity,
        name: str,
        port: int,
        pinned: bytes | None,
        on_event: Callable[[Event], None],
        on_lost: Callable[[str, bool], None] = lambda reason, retry: None,
        mark: str | None = None,
        home: str = "",
    ) -> None:
        self.lobby = pinned
        self._home = home
        self._mark = mark  # a fingerprint that the lobby must have
        self.accepted: Deferred[SignedIn] = Deferred()
        self._reactor = reactor
        self._identity, self._name, self._port = identity, name, port
        self._on_event, self._on_lost = on_event, on_lost
        self._talk: LobbyTalk | None = None
        self._waiting: dict[int, Deferred[Result | None]] = {}
        self._reason = ""
        self._retry = True
        self._heard_at = reactor.seconds()
        self._timer: Timer | None = None

    @property
    def protocol(self) -> int:
        """What the lobby and this node both speak."""
        return 0 if self._talk is None else self._talk.version

    @property
    def host(self) -> str:
        """The IP address at which the lobby is reached."""
        return str(getattr(self._wire.getPeer(), "host", ""))

    def ask(self, command: Command) -> Deferred[Result | None]:
        """Ask the lobby for something; fires with its answer, or fails with LobbyRefused."""
        assert self._talk is not None, "wait for `accepted` first"
        number, effects = self._talk.ask(command)
        answer: Deferred[Result | None] = Deferred()
        self._waiting[number] = answer
        self._perform(effects)
        return answer

    def close(self) -> None:
        """Go away in order."""
        self._reason = self._reason or "we left"
        self._wire.loseConnection()

    def abort(self) -> None:
        """Go away without waiting for anything."""
        self._wire.abortConnection()

    def accepts_key(self, key: bytes | None) -> bool:
        """Asked by TLS; a certificate of another kind than Ed25519 is checked when the handshake is done."""
        return key is None or self._is_right(key)

    def _is_right(self, key: bytes) -> bool:
        if self._mark is not None and fingerprint(key) != self._mark:
            wanted = self._mark
        elif self.lobby is not None and key != self.lobby:
            wanted = fingerprint(self.lobby)
        else:
            return True
        self._retry = False
        self._reason = (
            f"this is not the lobby we know: its key is {fingerprint(key)}, not {wanted}. Somebody may be in between, "
            "or the operator has a new key: ask, then give the new fingerprint with --lobby-key"
        )
        return False

    def connectionMade(self) -> None:
        """TCP is up; TLS begins by itself."""
        self._wire.setTcpNoDelay(True)

    def handshakeCompleted(self) -> None:
        """TLS is up; now the lobby's key is known."""
        certificate = cast(crypto.X509, self._wire.getPeerCertificate())
        key = lobby_key_of(certificate.to_cryptography())
        if not self._is_right(key):
            self._perform([CloseTalk(self._reason, retry=False)])
            return
        self.lobby = key
        self._talk = LobbyTalk(self._identity, self._name, self._port, key, version(), self._home)

    def dataReceived(self, data: bytes) -> None:
        """Bytes of the lobby, decrypted."""
        self._heard_at = self._reactor.seconds()
        if self._talk is not None:
            self._perform(self._talk.bytes_received(data))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The connection is gone; every open request fails."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = self._reason or explain_tls(cast(BaseException, reason.value))
        self._on_lost(text, self._retry)
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            answer.errback(RemoteError(f"the connection to the lobby ended: {text}"))
        if not self.accepted.called:
            self.accepted.errback(RemoteError(text))

    @property
    def _wire(self) -> Any:
        return self.transport

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case WriteTalk(data):
                    self._wire.write(data)
                case Accepted(_, answer):
                    self._arm()
                    self.accepted.callback(answer)
                case Answered(answer):
                    self._answered(answer)
                case Told(event):
                    self._on_event(event)
                case CloseTalk(reason, retry):
                    self._reason, self._retry = reason, retry
                    self._wire.abortConnection()

    def _answered(self, answer: Answer | Refusal) -> None:
        waiting = self._waiting.pop(answer.n)
        if isinstance(answer, Refusal):
            waiting.errback(LobbyRefused(answer))
        else:
            waiting.callback(answer.result)

    def _arm(self) -> None:
        assert self._talk is not None
        self._timer = self._reactor.callLater(self._talk.ping_every, self._keep_alive)

    def _keep_alive(self) -> None:
        self._timer = None
        assert self._talk is not None
        if self._reactor.seconds() - self._heard_at > SILENCE * self._talk.ping_every:
            self._perform([CloseTalk("the lobby is silent", retry=True)])
            return
        self._perform(self._talk.ping())
        self._arm()


def lobby_factory(identity: Identity, make: Callable[[], LobbyLink]) -> Any:
    """For a client endpoint: TLS with this node's key around the link that `make` builds."""
    inner = _LobbyLinkFactory(make)
    # Any: Twisted declares its arguments as zope interfaces, which mypy cannot follow.
    return cast(Any, TLSMemoryBIOFactory)(ConnectionCreator(identity), True, inner)


class _LobbyLinkFactory(Factory):
    noisy = False

    def __init__(self, make: Callable[[], LobbyLink]) -> None:
        self._make = make

    def buildProtocol(self, addr: object) -> LobbyLink:
        """The protocol inside TLS."""
        return self._make()
