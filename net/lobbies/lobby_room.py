"""One lobby as the node uses it: its tables become guests of the node, its relay a path to the peers met there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, cast

from twisted.internet.defer import Deferred, fail
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.links.claims import Witness
from kontor_games.net.system.steady import logged
from kontor_games.net.table import advice
from kontor_games.net.table.guest import Guest
from kontor_games.net.wire.ladder_messages import HandWord, LadderWord
from kontor_games.net.wire.lobby_messages import (
    LADDER_VERSION,
    PEOPLE_VERSION,
    PUNCH_VERSION,
    WORD_VERSION,
    Command,
    EnterByCode,
    Event,
    Finish,
    ListTables,
    Made,
    MakeTable,
    MatchOver,
    Refusal,
    Result,
    SignedIn,
    TableCard,
    TableCommand,
    TableGone,
    TableList,
    TableRow,
    Visibility,
)
from kontor_games.net.wire.messages import (
    PROTOCOL,
    AnyMessage,
    Clauses,
    Enter,
    Leave,
    OptionValue,
    Propose,
    Recovery,
    Start,
    TableView,
)
from kontor_games.net.wire.way_messages import (
    AskPunch,
    AskRelay,
    PunchPass,
    RelayPass,
)

from .handing_in import hand_in
from .lobby_book import Origin
from .lobby_client import LobbyClient
from .lobby_link import LobbyRefused

CODE_LETTERS: Final = 8  # of an invite code
ID_LETTERS: Final = 16  # of a table's id
MAX_PAGES: Final = 8  # of the list of tables that are fetched at once
FINISH_AFTER: Final = 20.0  # seconds: until then a slower peer may still need the relay, which needs the table
_log = Logger(namespace="kontor.lobby")


class RoomOwner(Protocol):
    """Who keeps the node's tables: what a lobby's room needs of it."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where this node can be reached."""

    def lobby_changed(self, room: LobbyRoom, is_up: bool, reason: str, retry: bool) -> None:
        """The lobby was reached or lost."""

    def lobby_event(self, room: LobbyRoom, event: Event) -> None:
        """The lobby said something that is not for a table's guest."""

    def refused(self, table: str, about: str, reason: str) -> None:
        """The lobby refused something."""

    def new_guest(self, table: str, keeper: bytes) -> Guest:
        """We are at this table from now on."""

    def guest_received(self, table: str, message: AnyMessage) -> None:
        """The keeper of a table said something."""

    def table_gone(self, table: str) -> None:
        """We are no longer at this table."""

    def meet(self, room: LobbyRoom, offer: RelayPass | PunchPass) -> None:
        """Another member of a table waits for us in the lobby's relay, or looks for a hole through our routers."""


class LobbyRoom:
    """Tables, chat and queue of one lobby."""

    def __init__(self, reactor: Any, owner: RoomOwner, make_client: Callable[[LobbyRoom], LobbyClient]) -> None:
        self.tables: set[str] = set()  # of this lobby, that we are at
        self.cards: dict[str, TableCard] = {}
        self._reactor = reactor
        self._owner = owner
        self._client = make_client(self)
        self._waiting: list[Deferred[SignedIn]] = []
        self._finishing: list[Any] = []

    @property
    def address(self) -> str:
        """Where the lobby is."""
        return self._client.address

    @property
    def at(self) -> str:
        """Where we are connected to it: a lobby may be several processes."""
        return self._client.at

    @property
    def name(self) -> str:
        """Our name there."""
        return self._client.name

    @property
    def mark(self) -> str | None:
        """The fingerprint that a person gave for it."""
        return self._client.mark

    @property
    def key(self) -> bytes:
        """The lobby's key; only known once it was reached."""
        key = self._client.key
        if key is None:
            raise RemoteError(f"the lobby {self.address} was never reached")
        return key

    @property
    def seen(self) -> SignedIn | None:
        """What the lobby said when it let us in; None while it is not reached."""
        return self._client.answer

    @property
    def skew(self) -> float | None:
        """How many seconds the lobby's clock was ahead of ours when it let us in."""
        return self._client.skew

    @property
    def witness(self) -> Witness:
        """What the lobby's word about addresses is worth."""
        return self._client.witness

    @property
    def is_given_up(self) -> bool:
        """Whether it is no longer tried."""
        return self._client.is_given_up

    @property
    def is_new(self) -> bool:
        """Whether its key was seen for the first time: nothing but a person's comparison vouches for it."""
        return self._client.is_new

    def start(self) -> None:
        """Connect and stay connected."""
        self._client.start()

    def stop(self) -> Deferred[None]:
        """Go away; what is finished is said now, for nobody will be here later."""
        for call in self._finishing:
            if call.active():
                call.func()
                call.cancel()
        return self._client.stop()

    def reached(self) -> Deferred[SignedIn]:
        """Fires when the lobby has let us in; fails if the next attempt does, which is soon."""
        waiting: Deferred[SignedIn] = Deferred()
        if self._client.answer is not None:
            waiting.callback(self._client.answer)
        else:
            self._waiting.append(waiting)
            self._client.hurry()
        return waiting

    def ask(self, command: Command) -> Deferred[Result | None]:
        """Ask the lobby for something; fails with the reason."""
        return self._client.ask(command)

    @property
    def knows_people(self) -> bool:
        """Whether the lobby has friends, profiles, invitations and reports."""
        return self._client.protocol >= PEOPLE_VERSION

    def why_not_play(self) -> str | None:
        """Why no match can come of a table or of the queue there, or None; one may still look and talk."""
        protocol = self._client.protocol
        return advice.older_lobby(protocol) if 0 < protocol < PROTOCOL else None

    def why_not_rated(self) -> str | None:
        """Why nothing there can be rated, or None."""
        if 0 < self._client.protocol < LADDER_VERSION:
            return "this lobby runs an older Kontor, which does not keep a ladder"
        return None

    def hand_in(self, data: bytes, word: HandWord | None = None) -> Deferred[LadderWord]:
        """Hand a match file to the ladder there, and our word on another state to lobbies that take one.

        Fires when all is safe, fails with the reason.
        """
        if reason := self.why_not_rated():
            return fail(RemoteError(reason))
        handed = hand_in(self.ask, data)
        if word is not None and self._client.protocol >= WORD_VERSION:
            handed.addCallback(lambda told: self.ask(word).addCallback(lambda _: told))
        return handed

    # ---- tables

    def make_table(
        self,
        game: str,
        options: Mapping[str, OptionValue],
        seats: int,
        recovery: Recovery,
        spectators: bool,
        visibility: Visibility,
        note: str = "",
        clauses: Clauses | None = None,
    ) -> Deferred[str]:
        """Open a table there; fires with its id."""
        is_rated = clauses is not None and clauses.is_on_ladder
        if reason := self.why_not_play() or (self.why_not_rated() if is_rated else None):
            return fail(RemoteError(reason))
        addresses = self._owner.addresses
        ask = MakeTable(game, dict(options), seats, visibility, note, recovery, spectators, addresses, clauses)
        return self.ask(ask).addCallback(self._made)

    def enter(self, table: str) -> Deferred[str]:
        """Go to a table whose id is known."""
        return self.ask(Enter(table, self._owner.addresses)).addCallback(self._made)

    def enter_as_told(self, text: str) -> Deferred[str]:
        """Go to a table by what somebody passed on: an invite code or a table's id, which is longer."""
        letters = text.replace("-", "").replace(" ", "").upper()
        if not (letters.isascii() and letters.isalnum() and len(letters) in (CODE_LETTERS, ID_LETTERS)):
            return fail(ConfigError(f"{text[:40]!a} is neither an invite code (K7QD-3MXF) nor a table's id"))
        return self.enter_by_code(letters) if len(letters) == CODE_LETTERS else self.enter(letters)

    def enter_by_code(self, code: str) -> Deferred[str]:
        """Go to the table of an invite code."""
        return self.ask(EnterByCode(code, self._owner.addresses)).addCallback(self._made)

    def _made(self, result: Result | None) -> str:
        if not isinstance(result, Made):
            raise RemoteError("the lobby did not say which table it is")
        self._at(result.table)
        return result.table

    def _at(self, table: str) -> None:
        """We are at this table; the lobby may show it before it answers, or after a restart of ours."""
        if table not in self.tables:
            self.tables.add(table)
            self._owner.new_guest(table, self.key)

    def list_tables(self, game: str | None = None) -> Deferred[list[TableRow]]:
        """The public tables."""
        rows: list[TableRow] = []

        def page(result: Result | None) -> Any:
            if not isinstance(result, TableList):
                raise RemoteError("the lobby did not answer with a list")
            rows.extend(result.rows)
            if result.more and len(pages) < MAX_PAGES:
                return fetch(result.after)
            return rows

        pages: list[str] = []

        def fetch(after: str) -> Deferred[Any]:
            pages.append(after)
            return self.ask(ListTables(game, after)).addCallback(page)

        return fetch("")

    def tell_table(self, table: str, message: AnyMessage) -> None:
        """Say something to the lobby about a table; a refusal becomes news."""

        def refused(failure: Failure) -> None:
            about = failure.value.code if isinstance(failure.value, LobbyRefused) else "lobby"
            self._owner.refused(table, about, failure.getErrorMessage())

        def done(_: object) -> None:
            if isinstance(message, Leave):
                self._gone(table)

        logged(self.ask(cast(TableCommand, message)).addCallbacks(done, refused), _log, "an answer of the lobby")

    def ask_relay(self, table: str, peer: bytes) -> Deferred[RelayPass]:
        """A way to another member through the relay; that member is told too."""

        def passed(result: Result | None) -> RelayPass:
            if not isinstance(result, RelayPass) or result.peer != peer:
                raise RemoteError("the lobby gave no pass for its relay")
            return result

        return self.ask(AskRelay(table, peer)).addCallback(passed)

    def ask_punch(self, table: str, peer: bytes) -> Deferred[PunchPass]:
        """Help to a direct way to another member; that member is told too."""
        if self._client.protocol < PUNCH_VERSION:
            return fail(LobbyRefused(Refusal(0, "no-punch", "this lobby does not help with holes through routers")))

        def passed(result: Result | None) -> PunchPass:
            if not isinstance(result, PunchPass) or result.peer != peer:
                raise RemoteError("the lobby gave no pass for a hole")
            return result

        return self.ask(AskPunch(table, peer)).addCallback(passed)

    def over(self, origin: Origin, match: bytes) -> None:
        """The match of a table is over: nobody should be shown it any more. Older lobbies hear of it by `finished`."""
        if self._client.protocol >= PEOPLE_VERSION:
            self.ask(MatchOver(origin.table, match)).addBoth(lambda _: None)  # another player may have been faster

    def finished(self, origin: Origin, match: bytes, how: str) -> None:
        """The match of a table is complete: let the lobby forget the table, after a while."""

        def finish() -> None:
            asked = self.ask(Finish(origin.table, match, how or "over"))
            asked.addBoth(lambda _: None)  # another player may have been faster
            self.tables.discard(origin.table)

        self._finishing = [call for call in self._finishing if call.active()]
        self._finishing.append(self._reactor.callLater(FINISH_AFTER, finish))

    # ---- what the lobby says

    def lobby_up(self, answer: SignedIn) -> None:
        """Signed in. The lobby shows us our tables by itself; those it has forgotten are gone."""
        for table in sorted(self.tables - set(answer.tables)):
            self._gone(table)
        for table in answer.tables:
            self._at(table)
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.callback(answer)
        self._owner.lobby_changed(self, True, "", True)

    def lobby_down(self, reason: str, retry: bool) -> None:
        """Not reached now."""
        failed, self._waiting = self._waiting, []
        self._owner.lobby_changed(self, False, reason, retry)
        for each in failed:
            each.errback(RemoteError(f"{self.address}: {reason}"))

    def lobby_said(self, event: Event) -> None:
        """An event; what concerns a table goes to its guest."""
        match event:
            case TableView(table=table):
                self._at(table)
                self._owner.guest_received(table, event)
            case Propose(table=table) | Start(table=table):
                if table in self.tables:
                    self._owner.guest_received(table, event)
            case TableCard(table=table):
                self._at(table)
                self.cards[table] = event
                self._owner.lobby_event(self, event)
            case TableGone(table=table):
                self._owner.lobby_event(self, event)
                self._gone(table)
            case RelayPass() | PunchPass():
                self._owner.meet(self, event)
            case _:
                self._owner.lobby_event(self, event)

    def _gone(self, table: str) -> None:
        self.cards.pop(table, None)
        if table in self.tables:
            self.tables.discard(table)
            self._owner.table_gone(table)
