"""What one guest asks and hears, over all its connections: a phone that comes back after minutes has missed nothing.

A phone sends a request again if the connection broke before the answer came. So that nothing is done twice, the last
answers are kept by the id of their request, and one that is still being worked on is answered once, to whichever
connection there is by then. Only requests that change something are kept: looking twice does no harm.

What a guest may ask is rationed here, over all its connections: a new connection is not a new purse.

Events come from the node's feed as for every client, from the number on that the phone knows. What belongs to the
owner alone is taken out: the words of lines are made for the owner's seat.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, Final
from urllib.parse import parse_qsl

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import StoreError
from kontor_games.net.api.http.api_errors import ApiError, bad_request, facts_of, message_of, refusal_of
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.http.router import PREFIX, Blob, Router
from kontor_games.net.api.http.tokens import Scope
from kontor_games.net.system.buckets import Bucket, Rate

from .guest_stream import GuestAsk, GuestStream
from .sealed_channel import ChannelError

ASKS: Final = Rate(20.0, 100.0)
KEPT_ANSWERS: Final = 16
_log = Logger(namespace="kontor.guests")


class GuestSession:
    """One guest."""

    def __init__(
        self,
        router: Router,
        feed: Feed,
        scope: Callable[[], Scope],
        about: Callable[[], dict[str, Any]],
        on_presence: Callable[[], None],
        seconds: Callable[[], float],
    ) -> None:
        self._router = router
        self._feed = feed
        self._scope = scope
        self._about = about
        self._on_presence = on_presence  # the phone has come or gone
        self._answers: OrderedDict[str, dict[str, Any] | None] = OrderedDict()  # None: not known yet
        self._stream: GuestStream | None = None
        self._sent = feed.last
        self._seconds = seconds
        self._asks = Bucket(ASKS)
        self._has_news = False  # about itself, which the phone could not hear yet

    @property
    def is_here(self) -> bool:
        """Whether the phone is connected."""
        return self._stream is not None

    def attached(self, stream: GuestStream, since: int) -> None:
        """The phone has connected; an older connection of it ends."""
        older, self._stream = self._stream, stream
        if older is not None:
            older.end("elsewhere")
        self._sent = since or self._feed.last
        self._on_presence()  # which tells this phone about itself, too
        self.pump()

    def detached(self, stream: GuestStream) -> None:
        """A connection is gone."""
        if stream is self._stream:
            self._stream = None
            self._on_presence()

    def changed(self) -> None:
        """Something about this guest or its table has changed."""
        if self._stream is not None:
            self._has_news = self._stream.is_paused
            if not self._has_news:
                self._stream.tell({"you": self._about()})

    def end(self, why: str) -> None:
        """This guest is out."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.end(why)

    def pump(self) -> None:
        """Send the events that the phone has not heard."""
        stream = self._stream
        if self._has_news:
            self.changed()
        while stream is not None and stream.is_open and not stream.is_paused and self._sent != self._feed.last:
            until = self._feed.last
            missed = self._feed.after(self._sent, self._scope())
            self._sent = until
            for event in [{"n": until, "kind": "reset"}] if missed is None else missed:
                stream.tell({"event": {key: value for key, value in event.items() if key != "lines"}})

    # ---- requests

    def asked(self, ask: GuestAsk) -> None:
        """Answer a request, once."""
        if self._asks.take(self._seconds()) > 0:
            raise ChannelError("too many requests")
        if ask.id in self._answers:
            known = self._answers[ask.id]
            if known is not None:
                self._tell(known)
            return
        if ask.method != "GET":
            self._answers[ask.id] = None
            while len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)
        try:
            found = self._call(ask)
        except Exception as error:
            self._answer(ask, *_refusal(error))
            return
        if not isinstance(found, Deferred):
            self._answer(ask, 200, found)
            return

        def failed(failure: Failure) -> None:
            self._answer(ask, *_refusal(failure.value))

        found.addCallbacks(lambda data: self._answer(ask, 200, data), failed)

    def _call(self, ask: GuestAsk) -> Any:
        path, _, query = ask.path.partition("?")
        route, ids = self._router.find(ask.method, PREFIX + path)
        return self._router.call(route, ids, self._scope(), _query(query), BytesIO(bytes(ask.body)))

    def _answer(self, ask: GuestAsk, status: int, data: Any) -> None:
        assert not isinstance(data, Blob), "no route of guests answers with a file"
        told = {"answer": ask.id, "status": status, "data": data}
        if ask.id in self._answers:
            self._answers[ask.id] = told
        self._tell(told)

    def _tell(self, message: dict[str, Any]) -> None:
        if self._stream is not None:
            self._stream.tell(message)


def _query(text: str) -> Mapping[str, str]:
    try:
        return dict(parse_qsl(text, max_num_fields=8, keep_blank_values=True, errors="strict"))
    except ValueError:
        raise bad_request("the query cannot be read") from None


def _refusal(error: BaseException | None) -> tuple[int, dict[str, Any]]:
    """Status and data of a refusal; what is not one is logged, and the phone learns only that there was something."""
    answer = refusal_of(error)
    if answer is None or isinstance(error, StoreError):
        _log.failure("a guest's request failed", Failure(error))
        answer = ApiError(500, "defect", "something went wrong at the host's machine")  # whose files are not told of
    return answer.status, {"error": answer.code, "message": str(answer), **facts_of(message_of(answer))}
