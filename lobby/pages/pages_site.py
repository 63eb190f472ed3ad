"""What can be asked of the pages: addresses in, answers out. Everything is read-only, and the same for everybody.

| address | answer |
|---|---|
| `/`, `/match/ID` | pages: one file of the web client with another title |
| `/s/MARK/…`, `/words/en.json`, `/icon.svg` | files of the web client |
| `/api/1/hall`, `/api/1/matches`, `/api/1/matches/ID` | values, as docs/pages-api.md tells them |
| `/api/1/matches/ID/replay`, `/api/1/matches/ID/views/N` | the replay, prepared by a process when first asked for |
| `/files/ID.kontor` | the file that was judged |
| `/feed.atom` | finished matches |
| `/ladder`, `/player/KEY` | pages of a ladder, where there is one |
| `/api/1/ladder`, `/api/1/ladder/SEASON/LIST/GAME/PLAYERS`, `/api/1/players/KEY` | what it says |
| `/ladder/ladder.json`, `/ladder/files/DIGEST.kontor` | what it publishes, for `kontor ladder check` |
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from kontor_games.net.api.http.api_errors import ApiError, bad_request
from kontor_games.net.api.http.ready_file import ReadyFile, ready_file
from kontor_games.net.api.http.to_json import to_json

from .public_hall import PublicHall
from .published_files import PublishedFiles, PublishedMatch
from .replay_desk import ReplayDesk
from .shown_ladder import LadderFolder, ShownLadder
from .told_matches import MatchTeller
from .web_files import WebFiles

FOR_EVER: Final = "public, max-age=31536000, immutable"
FOR_A_WHILE: Final = "public, max-age=300"
ASK_AGAIN: Final = "no-cache"
PAGE: Final = 50  # matches in one answer
RECENT: Final = 12  # finished matches in the hall
ROBOTS: Final = b"User-agent: *\nDisallow: /api/\nDisallow: /files/\n"


@dataclass(frozen=True)
class PageAnswer:
    """What is sent: a page, or the file of a match, or another file as it is now."""

    page: ReadyFile | None
    caching: str = ASK_AGAIN
    file: PublishedMatch | None = None
    sent: Path | None = None


@dataclass(frozen=True)
class PageAsked:
    """A request, as far as it matters."""

    path: str
    query: dict[str, str]
    visitor: str  # the household that it counts for


@dataclass(frozen=True)
class LobbyFacts:
    """The lobby that these pages belong to."""

    title: str
    address: str  # where nodes reach it
    fingerprint: str


Answering = Callable[[PageAsked, "tuple[str, ...]"], Awaitable[PageAnswer]]


class PagesSite:
    """Finds the answer to a request."""

    def __init__(
        self,
        facts: LobbyFacts,
        web: WebFiles,
        hall: PublicHall,
        shelves: Sequence[PublishedFiles],
        desk: ReplayDesk,
        teller: MatchTeller,
        ladder: LadderFolder | None = None,
    ) -> None:
        self._facts, self._web, self._hall = facts, web, hall
        self._shelves, self._desk, self._teller = tuple(shelves), desk, teller
        self._ladder = ladder
        match, key = "([0-9a-f]{32})", "([0-9a-f]{64})"
        self._routes: list[tuple[re.Pattern[str], Answering]] = [
            (re.compile(pattern), answer)
            for pattern, answer in (
                ("/", self._home),
                (f"/match/{match}", self._match_page),
                ("/api/1/hall", self._hall_now),
                ("/api/1/matches", self._matches),
                (f"/api/1/matches/{match}", self._match),
                (f"/api/1/matches/{match}/replay", self._replay),
                (f"/api/1/matches/{match}/views/([0-9]{{1,5}})", self._views),
                (rf"/files/{match}\.kontor", self._file),
                (r"/feed\.atom", self._feed),
                (r"/robots\.txt", self._robots),
                ("/ladder", self._ladder_page),
                (f"/player/{key}", self._player_page),
                ("/api/1/ladder", self._ladder_now),
                ("/api/1/ladder/([0-9]{1,6})/([a-z]{1,16})/([a-z0-9_-]{1,32})/([0-9]{1,2})", self._board),
                (f"/api/1/players/{key}", self._player),
                (r"/ladder/ladder\.json", self._manifest),
                (rf"/ladder/files/{match}[0-9a-f]{{32}}\.kontor", self._file),
            )
        ]

    def rename(self, title: str) -> None:
        """The lobby has another title now."""
        self._facts = replace(self._facts, title=title)
        self._teller.lobby = title

    async def answer(self, asked: PageAsked) -> PageAnswer:
        """The answer; ApiError if there is none."""
        kept = self._web.kept(asked.path)
        if kept is not None:
            return PageAnswer(kept, FOR_EVER)
        plain = self._web.plain(asked.path)
        if plain is not None:
            return PageAnswer(plain)
        for pattern, answer in self._routes:
            found = pattern.fullmatch(asked.path)
            if found:
                return await answer(asked, found.groups())
        raise _missing()

    def missing(self) -> ReadyFile:
        """The page for people who came to an address that does not exist."""
        return self._web.page(f"Not found · {self._facts.title}", "")

    async def _home(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        about = "A lobby for merchant board games: open tables, and finished matches to look at, with proof."
        return self._page(self._facts.title, about, "pages/hall.js")

    async def _match_page(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        match = self._found(names[0])
        title = f"{self._teller.headline(match)} · {self._facts.title}"
        return self._page(title, match.report.line, "pages/match.js")

    async def _hall_now(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        newest = self._newest()
        return _json(
            {
                "lobby": {
                    "title": self._facts.title,
                    "address": self._facts.address,
                    "fingerprint": self._facts.fingerprint,
                },
                "tables": await self._hall.tables(),
                "matches": [self._teller.row(match) for match in newest[:RECENT]],
                "total": len(newest),
            }
        )

    async def _matches(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        page = asked.query.get("page", "0")
        if not (page.isascii() and page.isdigit() and len(page) < 6):
            raise bad_request("page must be a number")
        game = asked.query.get("game", "")
        fitting = [match for match in self._newest() if game in ("", match.report.game)]
        first = int(page) * PAGE
        rows = [self._teller.row(match) for match in fitting[first : first + PAGE]]
        return _json({"matches": rows, "total": len(fitting), "page": int(page), "length": PAGE})

    async def _match(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        return _json(self._teller.whole(self._found(names[0])))

    async def _replay(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        match = self._found(names[0])
        return _packed(await self._desk.info(match, asked.visitor))

    async def _views(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        found = self._desk.part(self._found(names[0]), str(int(names[1])))
        if found is None:
            raise ApiError(404, "not-found", "there are no such views; ask for the replay first")
        return _packed(found)

    async def _file(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        return PageAnswer(None, FOR_A_WHILE, self._found(names[0]))

    async def _feed(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        made = ready_file("feed", self._teller.feed(self._newest()))
        return PageAnswer(ReadyFile(made.data, made.packed, "application/atom+xml; charset=utf-8", made.tag))

    async def _robots(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        return PageAnswer(ready_file("robots.txt", ROBOTS), FOR_A_WHILE)

    async def _ladder_page(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        self._shown()
        about = "Who plays how well, from matches that prove themselves."
        return self._page(f"Ladder · {self._facts.title}", about, "pages/ladder.js")

    async def _player_page(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        person = self._person(names[0])
        title = f"{person['name'] or person['fingerprint'][:19]} · {self._facts.title}"
        return self._page(title, "A player of the ladder.", "pages/player.js")

    async def _ladder_now(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        return _json(self._shown().told())

    async def _board(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        season, list_name, game, players = names
        found = self._shown().board(int(season), list_name, game, int(players))
        if found is None:
            raise _missing()
        return _json(found)

    async def _player(self, asked: PageAsked, names: tuple[str, ...]) -> PageAnswer:
        person = self._person(names[0])
        for each in person["matches"]:
            each["page"] = f"/match/{each['id']}" if self._find(each["id"]) else ""
        return _json(person)

    async def _manifest(self, asked: PageAsked, _: tuple[str, ...]) -> PageAnswer:
        self._shown()
        assert self._ladder is not None
        return PageAnswer(None, sent=self._ladder.manifest)

    def _page(self, title: str, about: str, module: str) -> PageAnswer:
        has_ladder = self._ladder is not None and self._ladder.shown is not None
        return PageAnswer(self._web.page(title, about, module, has_ladder))

    def _shown(self) -> ShownLadder:
        shown = None if self._ladder is None else self._ladder.shown
        if shown is None:
            raise _missing()
        return shown

    def _person(self, key: str) -> dict[str, Any]:
        person = self._shown().person(key)
        if person is None:
            raise _missing()
        return person

    def _newest(self) -> list[PublishedMatch]:
        found = {match.id: match for shelf in self._shelves for match in shelf.newest()}
        return sorted(found.values(), key=lambda match: (-match.at, match.id))

    def _find(self, id: str) -> PublishedMatch | None:
        return next((match for shelf in self._shelves if (match := shelf.find(id)) is not None), None)

    def _found(self, id: str) -> PublishedMatch:
        match = self._find(id)
        if match is None:
            raise _missing()
        return match


def _missing() -> ApiError:
    return ApiError(404, "not-found", "there is no such page here")


def _json(data: Any) -> PageAnswer:
    return PageAnswer(ready_file("answer.json", to_json(data)))


def _packed(data: bytes) -> PageAnswer:
    """Something that lies on the disk as it is sent."""
    plain = ready_file("part.json", data)  # for its tag; unpacked only for whoever cannot do it
    return PageAnswer(ReadyFile(gzip.decompress(data), data, plain.content_type, plain.tag), FOR_A_WHILE)
