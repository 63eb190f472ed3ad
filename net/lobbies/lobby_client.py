"""A node's lasting connection to one lobby: signs in, comes back after a loss, waits longer each time. An adapter."""

from __future__ import annotations

import os
import time
from typing import Any, Final, Protocol

from twisted.internet.defer import Deferred, fail
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError, KontorError, RemoteError
from kontor_games.net.links.claims import Witness, why_not_relay
from kontor_games.net.links.mesh import tcp_endpoint
from kontor_games.net.system.clock import Timer
from kontor_games.net.system.steady import logged
from kontor_games.net.wire.address import host_of
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Command, Elsewhere, Event, Notice, Result, SignedIn

from .lobby_book import LobbyBook
from .lobby_link import LobbyLink, lobby_factory

BACK_OFF: Final = 0.5
MAX_BACK_OFF: Final = 30.0
HURRY: Final = 1.0  # seconds until the next attempt when a person asks for the lobby, at the latest
SIGN_IN_TIME: Final = 15
MOVE_TIME: Final = 0.5  # seconds within which those who lost a process go to another
CLOSING_TIME: Final = 1.0
_log = Logger(namespace="kontor.lobby")


class LobbyOwner(Protocol):
    """Who hears of a lobby; calls come from the reactor thread."""

    def lobby_up(self, answer: SignedIn) -> None:
        """The lobby let us in, for the first time or again."""

    def lobby_down(self, reason: str, retry: bool) -> None:
        """The lobby is not reached now; with `retry` it is tried again by itself."""

    def lobby_said(self, event: Event) -> None:
        """The lobby said something by itself."""


class LobbyClient:
    """One lobby, kept connected from `start` to `stop`."""

    def __init__(
        self,
        reactor: Any,
        identity: Identity,
        book: LobbyBook,
        address: str,
        name: str,
        port: int,
        owner: LobbyOwner,
        mark: str | None = None,
        home: str = "",
    ) -> None:
        self.address = address
        self.at = address  # where we are connected, or try to be: this lobby may be several processes
        self.name = name
        self.answer: SignedIn | None = None  # while we are signed in
        self.skew: float | None = None  # seconds that the lobby's clock was ahead of ours when it let us in
        self.is_given_up = False  # the lobby does not want us, or it is another one than we know
        self.is_new = False  # its key was seen for the first time
        self.witness = Witness()  # what its word about addresses is worth; of the last time that it let us in
        self._reactor = reactor
        self._identity = identity
        self._book = book
        self._port = port
        self._owner = owner
        self.mark = mark
        self._home = home
        self._link: LobbyLink | None = None
        self._connecting: Deferred[Any] | None = None
        self._timer: Timer | None = None
        self._tries = 0
        self._elsewhere: tuple[str, ...] = ()  # its other processes, as it last named them
        self._untried: list[str] = []
        self._is_stopped = False
        self._is_elsewhere = False
        self._gone: Deferred[None] | None = None

    @property
    def key(self) -> bytes | None:
        """The lobby's key, once it is known."""
        return self._book.key_of(self.address) if self._link is None else self._link.lobby

    @property
    def protocol(self) -> int:
        """What the lobby and this node both speak; 0 while it is not reached."""
        return 0 if self._link is None else self._link.protocol

    def start(self) -> None:
        """Connect, and stay connected."""
        self._dial()

    def hurry(self) -> None:
        """Somebody waits for the lobby: the next attempt is soon, however long it has not been reached."""
        soon = self._reactor.seconds() + HURRY
        if self._timer is not None and not self._is_stopped and self._timer.getTime() > soon:
            self._timer.cancel()
            self._timer = self._reactor.callLater(HURRY, self._dial)

    def stop(self) -> Deferred[None]:
        """Go away in order; fires when the connection is gone."""
        self._is_stopped = True
        gone = self._gone = Deferred()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._connecting is not None:
            self._connecting.cancel()
        if self._link is None:
            if not gone.called:  # an attempt that is given up says so at once
                gone.callback(None)
        else:
            self._link.close()
            self._timer = self._reactor.callLater(CLOSING_TIME, self._close_late)
        return gone

    def _close_late(self) -> None:
        """The lobby takes too long to let us go."""
        self._timer = None
        if self._link is not None:
            self._link.abort()

    def ask(self, command: Command) -> Deferred[Result | None]:
        """Ask the lobby; fails with LobbyRefused, or with RemoteError while it is not reached."""
        if self._link is None or self.answer is None:
            return fail(RemoteError(f"the lobby {self.address} is not reached now; it is tried again"))
        try:
            return self._link.ask(command)
        except KontorError:
            return fail()

    # ---- connecting

    def _dial(self) -> None:
        self._timer = None
        # A fingerprint that a person gives counts more than the key of the last time.
        pinned = None if self.mark is not None else self._book.key_of(self.address)

        def make() -> LobbyLink:
            link = LobbyLink(
                self._reactor,
                self._identity,
                self.name,
                self._port,
                pinned,
                self._on_event,
                self._lost,
                self.mark,
                self._home,
            )
            self._link = link
            link.accepted.addTimeout(SIGN_IN_TIME, self._reactor)
            logged(link.accepted.addCallbacks(self._accepted, self._refused).addErrback(broken), _log, "the lobby")
            return link

        def broken(failure: Failure) -> None:
            _log.failure("{lobby}: what it said could not be taken in", failure=failure, lobby=self.address)
            if self._link is not None:
                self._link.abort()  # and tried again

        try:
            attempt = tcp_endpoint(self._reactor, self.at).connect(lobby_factory(self._identity, make))
        except ConfigError as error:
            self._lost(str(error), False)
            return
        self._connecting = attempt
        logged(attempt.addCallbacks(self._connected, self._failed), _log, "the way to the lobby")

    def _connected(self, _: object) -> None:
        self._connecting = None

    def _failed(self, failure: Failure) -> None:
        self._connecting = None
        self._lost(failure.getErrorMessage(), True)

    def _accepted(self, answer: SignedIn) -> None:
        assert self._link is not None and self._link.lobby is not None
        self._tries = 0
        self.answer = answer
        self.skew = answer.now / 1000 - time.time()
        self.witness = Witness(self._link.host, host_of(answer.seen))
        self._note_elsewhere(answer.elsewhere)
        self.is_new = self._book.remember(self.address, self._link.lobby)
        _log.info("{lobby}: signed in as {name}", lobby=self.address, name=answer.you.name)
        self._owner.lobby_up(answer)

    def _refused(self, failure: Failure) -> None:
        """The reason comes with the end of the connection, except when the lobby says nothing at all."""
        if self._link is not None:
            self._link.abort()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Elsewhere):
            if self.answer is not None:
                self._note_elsewhere(event.addresses)
            return
        if isinstance(event, Notice) and event.kind == "elsewhere":
            self._is_elsewhere = True  # two processes with one key must not drive each other out forever
        if self.answer is not None:
            self._owner.lobby_said(event)

    def _lost(self, reason: str, retry: bool) -> None:
        self._link = self.answer = None
        retry = retry and not self._is_elsewhere
        if self._is_stopped:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._gone is not None and not self._gone.called:
                self._gone.callback(None)
            return
        _log.info("{lobby}: {reason}", lobby=self.address, reason=reason)
        self.is_given_up = not retry
        if retry and not self._find_another():
            wait = min(MAX_BACK_OFF, BACK_OFF * 2 ** min(self._tries, 10)) * (0.5 + os.urandom(1)[0] / 512)
            self._tries += 1
            self._timer = self._reactor.callLater(wait, self._dial)
        self._owner.lobby_down(reason, retry)

    def _note_elsewhere(self, named: tuple[str, ...]) -> None:
        """The one we were told by a person is always among them, whatever the lobby says."""
        allowed = [each for each in named if why_not_relay(each, self.witness) is None]
        self._elsewhere = tuple(dict.fromkeys((self.at, *allowed, self.address)))
        self._untried = []

    def _find_another(self) -> bool:
        """Whether another process of this lobby is tried next, soon; after a round of all, the usual wait is due.

        Whoever loses a process does so together with hundreds of others, so nobody goes at once.
        """
        if len(self._elsewhere) < 2:
            return False
        is_new_round = not self._untried
        if is_new_round:
            others = [each for each in self._elsewhere if each != self.at]
            first = os.urandom(1)[0] % len(others)
            self._untried = [*others[first:], *others[:first], self.at]
        self.at = self._untried.pop(0)
        if is_new_round and self._tries:
            return False
        self._tries += is_new_round
        self._timer = self._reactor.callLater(MOVE_TIME * os.urandom(1)[0] / 255, self._dial)
        return True
