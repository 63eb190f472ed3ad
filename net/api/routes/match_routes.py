"""Routes of matches: list, begin, look, draft, commit, leave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from twisted.internet.defer import Deferred

from kontor_games import engine
from kontor_games.engine.errors import IllegalAction, KontorError
from kontor_games.net.api.http.api_errors import bad_request, facts_of, forbidden, message_of, refused
from kontor_games.net.api.http.router import ApiCall, Blob, Route, place_number, seat_number
from kontor_games.net.api.matches.draft import Draft, read_path
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.log_lines import line
from kontor_games.net.api.matches.menu import explain, menu_of
from kontor_games.net.api.matches.player_settings import SettingsFile
from kontor_games.net.api.matches.positions import position_of
from kontor_games.net.api.matches.shown import ShownMatch
from kontor_games.net.api.matches.shown_local import person_kind
from kontor_games.net.api.matches.staged import staged_of
from kontor_games.net.api.matches.state import state_of
from kontor_games.net.api.matches.wording import worded
from kontor_games.net.record.local_match import seed_from
from kontor_games.net.wire.text import same_name, why_not_name

Text = Annotated[str, Meta(max_length=200)]
Path = Annotated[str, Meta(max_length=1200)]  # the notations of a choice
SeatNumber = Annotated[int, Meta(ge=0, le=7)]
Name = Annotated[str, Meta(min_length=1, max_length=24)]
Word = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"\A[a-z0-9_]+\Z")]
OptionValue = bool | Annotated[int, Meta(ge=-(2**31), lt=2**31)] | Annotated[str, Meta(max_length=64)]


class NewSeat(Struct, forbid_unknown_fields=True):
    """A seat of a new local match: `me`, or the kind of a bot."""

    kind: Word
    name: Name | None = None


class NewMatch(Struct, forbid_unknown_fields=True):
    """A new local match; `seed` (any word) fixes all chance, for practice."""

    game: Word
    seats: Annotated[list[NewSeat], Meta(min_length=1, max_length=8)]
    options: Annotated[dict[Word, OptionValue], Meta(max_length=32)] = {}
    seed: Annotated[str, Meta(min_length=1, max_length=64)] | None = None


class AtSeat(Struct, forbid_unknown_fields=True):
    """Which of one's seats acts."""

    seat: SeatNumber | None = None


class AtSeatText(Struct, forbid_unknown_fields=True):
    """One or more actions in notation, with «; » between them."""

    text: Path
    seat: SeatNumber | None = None


class BackTo(Struct, forbid_unknown_fields=True):
    """How many steps stay."""

    to: Annotated[int, Meta(ge=0, le=999)] | None = None
    seat: SeatNumber | None = None


class AtSeatTexts(Struct, forbid_unknown_fields=True):
    """A whole turn in notation."""

    texts: Annotated[list[Text], Meta(min_length=1, max_length=64)]
    seat: SeatNumber | None = None


class MatchRoutes:
    """What can be asked about matches."""

    def __init__(self, hub: Hub, settings: SettingsFile) -> None:
        self._hub = hub
        self._settings = settings

    def routes(self) -> list[Route]:
        return [
            Route("GET", "matches", self.list),
            Route("POST", "matches", self.create, NewMatch),
            Route("GET", "matches/{id}", self.state, seat=True),
            Route("GET", "matches/{id}/log", self.log, seat=True),
            Route("GET", "matches/{id}/staged", self.staged, seat=True),
            Route("GET", "matches/{id}/position", self.position, seat=True),
            Route("GET", "matches/{id}/file", self.file),
            Route("POST", "matches/{id}/draft", self.draft, AtSeatText, seat=True),
            Route("POST", "matches/{id}/undo", lambda call: self._change(call, "undo"), BackTo, seat=True),
            Route("POST", "matches/{id}/redo", lambda call: self._change(call, "redo"), AtSeat, seat=True),
            Route("POST", "matches/{id}/discard", lambda call: self._change(call, "discard"), AtSeat, seat=True),
            Route("POST", "matches/{id}/commit", self.commit, AtSeat, seat=True),
            Route("POST", "matches/{id}/play", self.play, AtSeatTexts, seat=True),
            Route("POST", "matches/{id}/explain", self.explain, AtSeatText, seat=True),
            Route("POST", "matches/{id}/bye", self.bye),
        ]

    def list(self, call: ApiCall) -> dict[str, Any]:
        return {"matches": self._hub.summaries()}

    def create(self, call: ApiCall) -> dict[str, Any]:
        new: NewMatch = call.body
        if new.game not in engine.game_ids():
            raise bad_request(f"there is no game {new.game}; there are {', '.join(engine.game_ids())}")
        kinds = ("me", *self._hub.setup.bot_kinds)
        names: list[str] = []
        for number, seat in enumerate(new.seats, 1):
            if seat.kind not in kinds:
                raise bad_request(f"seat {number} must be played by one of {', '.join(kinds)}, not by {seat.kind}")
            name = seat.name or _free_name(
                self._settings.called if seat.kind == "me" else seat.kind.capitalize(), names
            )
            reason = why_not_name(name)
            if reason is None and any(same_name(name, other) for other in names):
                reason = f"two seats are called {name}"
            if reason:
                raise bad_request(f"seat {number}: {reason}")
            names.append(name)
        seats = [(name, person_kind(seat.kind)) for name, seat in zip(names, new.seats, strict=True)]
        seed = _seed(new.seed)
        return {"id": self._hub.new_local(new.game, dict(new.options), seats, seed).id}

    def state(self, call: ApiCall) -> dict[str, Any]:
        shown = self._match(call)
        return self._state(call, shown, self._reader(call, shown))

    def _reader(self, call: ApiCall, shown: ShownMatch) -> int | None:
        """The seat whose view is asked for."""
        asked = call.query.get("seat")
        seat = None if asked is None else seat_number(asked)
        if asked == "none" and call.scope.is_owner:
            return None
        return self._hub.seat(call, shown, seat)

    def _state(self, call: ApiCall, shown: ShownMatch, seat: int | None) -> dict[str, Any]:
        """The state with the number of the newest event that it contains: clients need not ask again because of it."""
        own = call.scope.seat
        yours = self._hub.here(shown) if call.scope.is_owner else () if own is None else (own,)
        return {**state_of(shown, seat, self._hub.wording, yours), "feed": self._hub.feed.last}

    def log(self, call: ApiCall) -> dict[str, Any]:
        shown = self._match(call)
        to = shown.audience(self._reader(call, shown))
        return {"log": [line(self._hub.wording, to, entry) for entry in shown.log]}

    def staged(self, call: ApiCall) -> dict[str, Any]:
        """The last positions, one ply after the other."""
        shown = self._match(call)
        return staged_of(shown, self._reader(call, shown), place_number(call.query.get("from", "0")), self._hub.wording)

    def position(self, call: ApiCall) -> dict[str, Any]:
        """What a program needs to look ahead: the state that all know, and what its own seat knows besides."""
        if call.scope.is_owner:
            raise forbidden("positions are for bots; people look at the state")
        shown = self._match(call)
        seat = self._hub.own_seat(call, shown, None)
        return {
            "id": shown.id,
            "options": shown.options,
            "seats": len(shown.seats),
            "seat": seat,
            "ply": shown.ply,
            "to_act": shown.to_act,
            "status": shown.status,
            **position_of(shown.game, shown.state, shown.known(seat)),
        }

    def file(self, call: ApiCall) -> Blob:
        shown = self._match(call)
        if shown.kind == "local" and shown.status != "over":
            return Blob(shown.file(), f"{shown.game.id}-{shown.id[:8]}-unfinished.kontor")
        return Blob(shown.file(), f"{shown.game.id}-{shown.id[:8]}.kontor")

    def draft(self, call: ApiCall) -> dict[str, Any]:
        shown = self._match(call)
        seat = self._hub.own_seat(call, shown, call.body.seat)
        draft = self._drafting(shown, seat)
        if shown.guided is not None:
            draft.begin(seat)
            shown.guided.check(menu_of(shown, draft, seat, self._hub.wording), call.body.text)
        with self._in_words(shown, seat):
            draft.add(seat, call.body.text)
        if shown.guided is not None:
            shown.guided.drafted()
        return self._drafted(call, shown, seat)

    def _change(self, call: ApiCall, what: Literal["undo", "redo", "discard"]) -> dict[str, Any]:
        shown = self._match(call)
        seat = self._hub.own_seat(call, shown, call.body.seat)
        draft = self._drafting(shown, seat)
        match what:
            case "undo":
                if not draft.undo(call.body.to):
                    raise refused("there is nothing to undo: what was committed stays")
            case "redo":
                if not draft.redo():
                    raise refused("there is nothing to redo")
            case "discard":
                draft.discard()
        if shown.guided is not None:
            shown.guided.drafted() if what == "redo" else shown.guided.undone(draft)
        return self._drafted(call, shown, seat)

    def commit(self, call: ApiCall) -> Deferred[dict[str, Any]]:
        shown = self._match(call)
        seat = self._hub.own_seat(call, shown, call.body.seat)
        draft = self._drafting(shown, seat)
        if not draft.steps:
            raise refused("nothing is drafted")
        if not draft.may_commit:
            raise refused("something is begun and not finished yet: go on with it, or undo it")
        if shown.guided is not None:
            shown.guided.check_commit(draft)
            shown.guided.committed()
        shown.commit()
        return self._after_sending(lambda: self._state(call, shown, seat))

    def _after_sending(self, answer: Callable[[], dict[str, Any]]) -> Deferred[dict[str, Any]]:
        """Answer once the sockets were served: the others need not wait until our view is drawn."""
        served: Deferred[None] = Deferred()
        reactor = self._hub.reactor
        reactor.callLater(0, lambda: reactor.callLater(0, served.callback, None))
        return served.addCallback(lambda _: answer())

    def play(self, call: ApiCall) -> dict[str, Any]:
        """Draft a whole turn and commit it, or change nothing."""
        shown = self._match(call)
        seat = self._hub.own_seat(call, shown, call.body.seat)
        if self._drafting(shown, seat).can_undo:
            raise refused("something is drafted already: commit or discard it")
        assert shown.state is not None
        shown.play(read_path(shown, shown.state, seat, call.body.texts))
        return {"ply": shown.ply, "to_act": shown.to_act, "status": shown.status}

    def explain(self, call: ApiCall) -> dict[str, Any]:
        shown = self._match(call)
        seat = self._hub.own_seat(call, shown, call.body.seat)
        if shown.draft is None or shown.draft.author not in (None, seat):
            return {"legal": False, "reason": "it is not your turn", "events": []}
        try:
            with self._in_words(shown, seat):
                return explain(shown, shown.draft, seat, call.body.text, self._hub.wording)
        except KontorError as error:
            return {"legal": False, "reason": str(error), "events": [], **facts_of(message_of(error))}

    @contextmanager
    def _in_words(self, shown: ShownMatch, seat: int) -> Iterator[None]:
        """What the rules refuse here is said in the words of the catalogue."""
        try:
            yield
        except IllegalAction as error:
            raise IllegalAction(worded(self._hub.wording, shown.audience(seat), message_of(error))) from None

    def bye(self, call: ApiCall) -> dict[str, Any]:
        shown = self._match(call)
        shown.leave()
        return self._state(call, shown, self._hub.seat(call, shown, None))

    def _match(self, call: ApiCall) -> ShownMatch:
        return self._hub.match(call.path["id"])

    def _drafting(self, shown: ShownMatch, seat: int) -> Draft:
        """The match's draft, if it is this seat's to change."""
        if shown.draft is None or shown.status == "over":
            raise refused("the match has not begun" if shown.draft is None else "the match is over")
        if shown.is_committed:
            raise IllegalAction("your turn is on its way to the others")
        if shown.status == "stopped":
            raise IllegalAction("the match is stopped")
        if shown.to_act != seat or shown.draft.author not in (None, seat) or seat in shown.gone:
            raise IllegalAction("it is not your turn")
        return shown.draft

    def _drafted(self, call: ApiCall, shown: ShownMatch, seat: int) -> dict[str, Any]:
        shown.save_draft()
        self._hub.draft_changed(shown)
        return self._state(call, shown, seat)


def _seed(word: str | None) -> bytes:
    """32 bytes from a player's word, or fresh ones."""
    return os.urandom(32) if word is None else seed_from(word)


def _free_name(stem: str, taken: list[str]) -> str:
    """«Anna», «Anna 2», «Anna 3» …; within the length of names."""
    numbers = (stem if number == 1 else f"{stem[:22]} {number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbers if not any(same_name(name, other) for other in taken))
