"""A port at a router that is asked by UPnP: asked for, renewed, given back. An adapter around net/links/upnp.py.

The talk with the router blocks for seconds, and a slow or hostile one for as long as it likes, so it happens in a
thread of its own, one talk at a time, which does not keep the process from ending. A talk that takes longer than SLOW
counts as a refusal; what it grants in the end is given back at once. A node that ends leaves a little time for that.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any, Final

from twisted.internet.defer import Deferred, DeferredList, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.net.system.steady import logged

from .upnp import LEASE, RouterRefuses, UpnpGrant, UpnpRouter

SLOW: Final = 15.0  # seconds for one talk
GIVING_BACK: Final = 3.0  # seconds, at the end of the node
SHORTEST: Final = 60.0  # seconds between renewals, at the least
_log = Logger(namespace="kontor.router")

OnAnswer = Callable[[UpnpGrant | None, str], None]  # what is granted now, or None and why not


class UpnpLease:
    """One port of ours; `on_answer` is called when what is granted changes, and after every refusal."""

    def __init__(self, reactor: Any, router: UpnpRouter, port: int, on_answer: OnAnswer) -> None:
        self._reactor = reactor
        self._router = router
        self._port = port
        self._on_answer = on_answer
        self._held: UpnpGrant | None = None
        self._lent: UpnpGrant | None = None  # the same, also while the router says otherwise or nothing: it may keep it
        self._talks = 0  # of which only the last counts
        self._talk: Deferred[Any] | None = None  # the one that goes on, with what becomes of it
        self._is_stopped = False
        self._timer: Any = None

    def ask(self) -> None:
        """Ask, or ask again; nothing happens while a talk goes on."""
        if self._talk is not None or self._is_stopped:
            return
        self._talks += 1
        talk = self._talks
        self._set_timer(SLOW, self._late)
        wish = self._port if self._held is None else self._held.port
        self._talk = in_thread(self._reactor, lambda: self._router.ask(self._port, wish))
        logged(self._talk.addBoth(self._answered, talk), _log, "asking the router by UPnP")

    @property
    def is_held(self) -> bool:
        """Whether the router lets calls in by what it told us here."""
        return self._held is not None

    @property
    def lent_port(self) -> int | None:
        """The outside port that was granted last and not given back: the router may keep it, whatever it says."""
        return None if self._lent is None else self._lent.port

    def let_go(self) -> None:
        """Another way to a port was found: give this one back, and do not renew it."""
        self._set_timer(None)
        self._talks += 1  # one that goes on comes too late
        lent, self._held, self._lent = self._lent, None, None
        if lent is not None:
            self._give_back(lent)

    def stop(self) -> Deferred[None]:
        """Give the port back; fires when that is done, or has taken long enough."""
        self._is_stopped = True
        self._set_timer(None)
        lent, self._held, self._lent = self._lent, None, None
        waits = [] if lent is None else [self._give_back(lent)]
        if self._talk is not None:  # what comes of it is given back too
            over: Deferred[None] = Deferred()
            self._talk.addBoth(lambda _: over.callback(None))
            waits.append(over)
        if not waits:
            return succeed(None)
        done: Deferred[None] = Deferred()
        timer = self._reactor.callLater(GIVING_BACK, done.callback, None)

        def given_back(_: object) -> None:
            if timer.active():
                timer.cancel()
                done.callback(None)

        DeferredList(waits, consumeErrors=True).addBoth(given_back)
        return done

    def _answered(self, answer: UpnpGrant | Failure, talk: int) -> Deferred[Any] | None:
        self._talk = None
        if self._is_stopped or talk != self._talks:
            return self._give_back(answer) if isinstance(answer, UpnpGrant) else None
        self._set_timer(None)
        if isinstance(answer, Failure):
            is_refusal = isinstance(answer.value, RouterRefuses)
            if not is_refusal:
                _log.failure("asking the router by UPnP failed", answer)
            self._refused(str(answer.value) if is_refusal else "could not be asked")
            return None
        old, lent = self._held, self._lent
        self._held = self._lent = answer
        self._set_timer(max(SHORTEST, (answer.seconds or LEASE) / 2), self.ask)
        if lent is not None and lent.port != answer.port:
            self._give_back(lent)
        if old is None or (old.host, old.port) != (answer.host, answer.port):
            self._on_answer(answer, "")
        return None

    def _late(self) -> None:
        self._talks += 1  # whatever comes of it is too late
        self._refused("is too slow: it did not answer in time when it was asked to let other players in")

    def _refused(self, reason: str) -> None:
        self._held = None
        self._on_answer(None, reason)

    def _give_back(self, grant: UpnpGrant) -> Deferred[Any]:
        return in_thread(self._reactor, lambda: self._router.give_back(grant.port))

    def _set_timer(self, seconds: float | None, job: Callable[[], None] | None = None) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None if seconds is None else self._reactor.callLater(seconds, job)


def in_thread(reactor: Any, job: Callable[[], Any]) -> Deferred[Any]:
    """What `job` returns or raises; the reactor's own threads would keep the process until it is done."""
    done: Deferred[Any] = Deferred()

    def run() -> None:
        try:
            result = job()
        except Exception as error:
            result = Failure(error)  # type: ignore[no-untyped-call]  # Twisted leaves it so
        reactor.callFromThread(done.callback, result)

    Thread(target=run, daemon=True, name="router").start()
    return done
