"""What the node's clients share: matches, events, words.

Every match that clients see is a `ShownMatch`. It hears what happens where it is played (among peers by its one
subscription to the `Match`, on this machine from the table itself) and calls `match_changed` here, once for each thing
that people can see. The hub puts it into the numbered feed, and every open stream takes from there what its client may
hear. That is the whole way from a turn to a browser: match, shown match, hub, feed, stream.

The other way routes ask the hub for a match and let it act. What they answer contains everything up to the feed's
number in it, so that a client need not fetch again what it has just done itself.

Bots are clients as well. Their process is woken when one of them is to act, and goes when their match waits for people
and too many others do.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from twisted.logger import Logger

from kontor_games import engine
from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.net.api.http.api_errors import bad_request, forbidden, not_found, refused
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.http.router import ApiCall
from kontor_games.net.api.http.tokens import Tokens
from kontor_games.net.record.local_match import RecordedMatch
from kontor_games.net.record.match_files import LocalFiles, about_path, finished_matches, local_matches, match_name
from kontor_games.net.system.private_file import write_private

from .analyses import Analyst
from .bot_process import Bots
from .guide import GuideScript
from .guided import Guided
from .hints import Hints
from .player_settings import PutAway
from .shown import ShownMatch
from .shown_local import ShownLocalMatch
from .state import change_of, lines_since, summary
from .wording import PlainWording, Wording

MATCHES_AWAKE = 32  # that wait for people while their bots wait for them
Shown = TypeVar("Shown", bound=ShownMatch)
_log = Logger(namespace="kontor.api")


@dataclass(frozen=True)
class Setup:
    """What whoever starts the node hands in, because the room `net` must not know it."""

    wording: Wording = PlainWording()  # noqa: RUF009 - it has no state
    web: Path | None = None  # the folder of the web client
    bot_command: tuple[str, ...] = ()  # the program that plays seats of bots
    bot_kinds: tuple[str, ...] = ()
    analyst: Analyst | None = None  # the program that analyses finished matches
    software: str = "0"
    bind: str = ""  # the address under which other nodes reach this one; empty: all of them
    port: int = 0  # and the port; 0: the last one, else any
    lan: bool = True  # whether to look for tables on the local network, and to tell it about ours
    mapping: bool = True  # whether to ask the router to let calls in, once a lobby is used
    punching: bool = True  # whether to look for direct ways through routers with the lobby's help


class Hub:
    """All matches of this node, and what is told about them."""

    def __init__(self, reactor: Any, home: Path, tokens: Tokens, setup: Setup) -> None:
        self.reactor = reactor
        self.home = home
        self.tokens = tokens
        self.setup = setup
        self.wording = setup.wording
        self.directory = home / "matches"
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.put_away = PutAway(home)
        self.feed = Feed(int(time.time() * 1000))
        self.matches: dict[str, ShownMatch] = {}
        self.lent: dict[str, frozenset[int]] = {}  # seats of people at this node that play on phones, by match
        self.bots = Bots(reactor, setup.bot_command, home)
        self.hints = Hints(reactor, self.bots, setup.wording)
        self._told_until: dict[str, int] = {}
        self._finished: dict[str, tuple[Path, dict[str, Any]]] = {}  # matches over: file and summary
        self._to_load: list[Path] = []
        self._loading: Any = None

    # ---- life

    def start(self, port: int) -> None:
        """Take up the local matches from before the restart, one by one, while clients can already connect."""
        self.bots.start(port)
        for transcript, path in finished_matches(self.directory):
            try:
                about = json.loads(path.read_text(encoding="utf-8"))
                self._finished[str(about["id"])] = (transcript, about)
            except (OSError, ValueError, KeyError, TypeError):
                continue
        self._to_load = [files.transcript for files in reversed(local_matches(self.directory))]
        self._load_next()

    def _load_next(self) -> None:
        self._loading = None
        if not self._to_load:
            return
        path = self._to_load.pop()
        try:
            shown = ShownLocalMatch(RecordedMatch.resume(path), self.match_changed, self._later)
            shown.guided = Guided.load(LocalFiles(path).guide, self.wording, shown.game.id)
            self.add(shown, is_new=False).go_on()
        except KontorError as error:
            _log.warn("{error}", error=str(error))
        except Exception:  # one damaged match must not keep all the others away
            _log.failure("{name} could not be taken up", name=path.name)
        if self._to_load:
            self._loading = self.reactor.callLater(0, self._load_next)

    def load_all(self) -> None:
        """Somebody asks for matches: have them all."""
        while self._to_load:
            if self._loading is not None:
                self._loading.cancel()
            self._load_next()

    def stop(self) -> None:
        """Let go of everything; all of it can be taken up again."""
        if self._loading is not None:
            self._loading.cancel()
            self._loading = None
        self.hints.stop()
        self.bots.stop()
        for shown in self.matches.values():
            shown.close()

    def _later(self, job: Callable[[], None]) -> object:
        return self.reactor.callLater(0, job)

    # ---- matches

    def new_local(
        self,
        game: str,
        options: dict[str, Any],
        seats: Sequence[tuple[str, str]],
        seed: bytes,
        script: GuideScript | None = None,
    ) -> ShownMatch:
        """Begin a local match in a file of its own, with a guide if there is a script."""
        files = LocalFiles.named(self.directory, f"{game}-{secrets.token_hex(6)}")
        table = RecordedMatch.create(files.transcript, engine.load(game), options, seats, seed)
        twin = self.matches.get(match_name(table.match_id))
        if twin is not None and twin.status != "over":
            table.close()
            files.delete()
            raise bad_request("a match with this seed is being played already; go on with that one")
        shown = ShownLocalMatch(table, self.match_changed, self._later)
        if script is not None:
            shown.guided = Guided.begin(files.guide, script)
        self.add(shown)
        shown.go_on()
        return shown

    def add(self, shown: Shown, is_new: bool = True) -> Shown:
        """A match begins or goes on; one from before the restart is not new, and people may have left it."""
        self.matches[shown.id] = shown
        self._finished.pop(shown.id, None)
        self._told_until[shown.id] = shown.log[-1].ply + 1 if shown.log else 0
        for seat in shown.bots:
            if shown.status != "over":
                kind = shown.seats[seat].kind
                self.bots.add(shown.id, seat, kind, self.tokens.new_seat(shown.id, seat), shown.bot_seed(seat))
        self._wake_bots(shown, is_new)
        self.feed.add("matches", id=shown.id)
        return shown

    def _wake_bots(self, shown: ShownMatch, is_new: bool = False) -> None:
        """Bots sit at the API, ready to act; but not those of many matches that wait for people and were left."""
        if is_new or shown.to_act in shown.bots:
            self.bots.wake(shown.id)
        surplus = len(self.bots.awake) - MATCHES_AWAKE
        if surplus > 0:
            matches = (self.matches[match] for match in self.bots.awake)
            waiting = [each.id for each in matches if each.to_act not in each.bots and each is not shown]
            for match in waiting[:surplus]:
                self.bots.rest(match)

    def forget(self, shown: ShownMatch) -> None:
        """A match is no longer looked at."""
        self.bots.drop(shown.id)
        self.matches.pop(shown.id, None)
        self._told_until.pop(shown.id, None)
        self.lent.pop(shown.id, None)
        self.feed.add("matches", id=shown.id)

    def match_changed(self, shown: ShownMatch) -> None:
        """Something happened in a match: wake its bots, and tell clients to look again."""
        lines = lines_since(shown, self._told_until.get(shown.id, 0), self.wording, self.here(shown))
        if lines:
            self._told_until[shown.id] = lines[-1]["ply"] + 1
        self._wake_bots(shown)
        if (
            shown.guided is not None
            and shown.to_act in self.here(shown)
            and (shown.draft is None or not shown.draft.can_undo)
        ):
            shown.guided.is_turn()
        self.feed.add("match", shown.id, **change_of(shown), lines=lines, draft=False, state_changed=True)
        if shown.status == "over":
            self._over(shown)

    def draft_changed(self, shown: ShownMatch) -> None:
        """Somebody drafts: that concerns the owner of this node alone."""
        self.feed.add("match", None, **change_of(shown), lines=[], draft=True, state_changed=True)

    def line_said(self, shown: ShownMatch, line: dict[str, Any]) -> None:
        """Somebody said something in a match."""
        self.feed.add("chat", id=shown.id, line=line)

    def _over(self, shown: ShownMatch) -> None:
        self.bots.drop(shown.id)
        about = None if shown.path is None else about_path(shown.path)
        if about is not None and not about.exists():
            write_private(about, json.dumps(summary(shown)))
            self.feed.add("matches", id=shown.id)

    def summaries(self) -> list[dict[str, Any]]:
        """All matches, the latest first."""
        self.load_all()
        found = [{**summary(shown, self.here(shown)), "replay": _replay_of(shown)} for shown in self.matches.values()]
        found += [{**about, "replay": replay_id(path)} for path, about in self._finished.values()]
        found = [{**each, "archived": each["id"] in self.put_away} for each in found]
        return sorted(found, key=lambda each: (-int(each.get("updated", 0)), each["id"]))

    def path_of(self, match_id: str) -> Path | None:
        """The file of a match, None if it has none here."""
        shown = self.matches.get(match_id)
        return self._finished[match_id][0] if shown is None else shown.path

    def let_go(self, match_id: str) -> None:
        """A match is about to be deleted: nobody plays it or looks at it any more."""
        shown = self.matches.get(match_id)
        if shown is not None:
            shown.close()
            self.forget(shown)
        self._finished.pop(match_id, None)

    def match(self, match_id: str) -> ShownMatch:
        """A match by its id."""
        self.load_all()
        if match_id not in self.matches and match_id in self._finished:
            path, about = self._finished[match_id]
            if about.get("kind") == "net":
                raise refused("this match is over; its replay shows it")
            try:
                self.add(ShownLocalMatch(RecordedMatch.resume(path), self.match_changed, self._later))
            except KontorError as error:
                raise StoreError(f"the match cannot be opened: {error}") from None
        if match_id not in self.matches:
            raise not_found("such match")
        return self.matches[match_id]

    # ---- seats

    def here(self, shown: ShownMatch) -> tuple[int, ...]:
        """The seats that are played at this node's own screens: the owner's, and not those of guests with phones."""
        lent = self.lent.get(shown.id, frozenset())
        return tuple(seat for seat in shown.mine if seat not in lent)

    def seat(self, call: ApiCall, shown: ShownMatch, asked: int | None) -> int | None:
        """The seat a client speaks for; None is a spectator's place."""
        scope = call.scope
        if not scope.is_owner:
            if asked not in (None, scope.seat):
                raise forbidden("this token is for another seat")
            return scope.seat
        if asked is None:
            own = self.here(shown)
            acting = [seat for seat in own if seat == shown.to_act]
            return next(iter((*acting, *own)), None)
        if asked not in self.here(shown):
            is_lent = asked in self.lent.get(shown.id, ())
            raise forbidden("this seat is played on a guest's phone" if is_lent else "this seat is not yours")
        return asked

    def own_seat(self, call: ApiCall, shown: ShownMatch, asked: int | None) -> int:
        """The seat a client acts for."""
        seat = self.seat(call, shown, asked)
        if seat is None:
            raise forbidden("you only watch this match")
        return seat


def replay_id(path: Path) -> str:
    """The id of a match file among the replays; a hash of its name, so that no path ever comes from outside."""
    return sha256(f"{path.parent.name}/{path.name}".encode()).hexdigest()[:24]


def _replay_of(shown: ShownMatch) -> str | None:
    return replay_id(shown.path) if shown.status == "over" and shown.path is not None else None
