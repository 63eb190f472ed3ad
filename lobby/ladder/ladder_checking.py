"""`kontor ladder check`: every rating computed again from the published files, and what differs in words.

Nothing that the ladder says is believed but its rules, the order and times of its book, and the facts of files that it
has withdrawn because a name was removed; how many results rest on these is said. Files are judged by processes of
their own (`net/archive/judge_pool.py`), so that a file that ends or stops its judge costs nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from kontor_games.engine.errors import RemoteError
from kontor_games.net.archive.asking import digest_of
from kontor_games.net.archive.judge_pool import JudgePool
from kontor_games.net.archive.order_pipe import FileOrder
from kontor_games.net.archive.rated_facts import RatedFacts, facts_in
from kontor_games.net.record.transcript import MAX_FILE
from kontor_games.net.wire.identity import fingerprint, parse_fingerprint

from .book import HandedIn
from .courses import Course, course_of
from .ladder import LadderFault, LadderMachine
from .manifest import LadderPage, page_in
from .published import LadderSource
from .rating_model import MODEL

SAME, DIFFERS, UNREADABLE, NOT_ALL = range(4)
SHOWN: Final = 50  # differences that are told; the rest is counted
_PERSON: Final = ("points", "mu", "sigma", "matches", "won", "rank", "provisional", "marks", "name")
FILE_CPU: Final = 600  # seconds of a processor for one file


@dataclass
class LadderCheck:
    """What a check found; `code` is the exit code."""

    title: str = ""
    keeper: str = ""  # fingerprint
    files: int = 0
    matches: int = 0
    ratings: int = 0
    on_word: int = 0  # files that were withdrawn: the lobby's word alone
    differences: list[str] = field(default_factory=list)
    more: int = 0  # differences beyond those
    not_judged: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "code": self.code}

    @property
    def code(self) -> int:
        if self.differences:
            return DIFFERS
        return NOT_ALL if self.not_judged else SAME

    def differs(self, text: str) -> None:
        """One more difference."""
        if len(self.differences) < SHOWN:
            self.differences.append(text)
        else:
            self.more += 1


def check(
    source: LadderSource,
    jobs: int,
    tick: Callable[[int, int], None] = lambda done, total: None,
    keeper: str | None = None,
) -> LadderCheck:
    """Compute a published ladder again; RemoteError if it cannot be read at all. `keeper`: the fingerprint expected."""
    page = page_in(source.manifest())
    found = LadderCheck(page.title, fingerprint(bytes.fromhex(page.rules.keeper)))
    if keeper and parse_fingerprint(keeper) != found.keeper:
        found.differs(f"it is kept by {found.keeper}, not by {ascii(keeper)[1:60]}")
    if page.said.get("model") != MODEL:
        found.differs(f"its ratings are made by another model: {str(page.said.get('model'))[:120]!a}, not {MODEL}")
    facts = _judged(page, source, jobs, tick, found)
    ladder = LadderMachine(page.rules, lambda file: _course(source, file, page))
    for entry in page.book:
        told = facts.get(entry.file) if isinstance(entry, HandedIn) else None
        try:
            if isinstance(entry, HandedIn) and told is None:
                ladder.skip(entry)
            else:
                ladder.take(entry, told)
        except LadderFault as error:
            found.differs(f"the book cannot be: {error}")
            ladder.skip(entry)
    ladder.tick(page.as_of)
    ours = ladder.said()
    found.matches = ours["counted"]
    found.ratings = sum(len(board["people"]) for board in ours["boards"])
    for text in _differences(page.said, ours):
        found.differs(text)
    return found


def _judged(
    page: LadderPage, source: LadderSource, jobs: int, tick: Callable[[int, int], None], found: LadderCheck
) -> dict[str, RatedFacts]:
    """The facts of every file in the book."""
    entries = [entry for entry in page.book if isinstance(entry, HandedIn)]
    found.files = len(entries)
    facts: dict[str, RatedFacts] = {}
    pool = JudgePool(max(1, min(jobs, len(entries) or 1)))
    waiting: dict[int, HandedIn] = {}
    ahead = iter(enumerate(entries))
    done = 0
    try:
        while True:
            while len(waiting) < 2 * jobs and (following := next(ahead, None)) is not None:
                number, entry = following
                data = _file(entry, page, source, found, facts)
                if data is None:
                    done += 1
                    continue
                waiting[number] = entry
                pool.submit(number, FileOrder("rate", data, FILE_CPU))
            if not waiting:
                return facts
            answer = pool.next(0.2)
            if answer is not None:
                _note(waiting.pop(answer.number).file, answer.answer, answer.reason, facts, found)
                done += 1
            tick(done, len(entries))
    finally:
        pool.close()


def _note(file: str, answer: bytes | None, reason: str, facts: dict[str, RatedFacts], found: LadderCheck) -> None:
    if answer is None:
        found.not_judged.append(f"file {file[:12]}: {reason}")
        return
    told = facts_in(answer)
    if told.refused.startswith("cannot judge"):
        found.not_judged.append(f"file {file[:12]}: {told.refused}")
    else:
        facts[file] = told


def _file(
    entry: HandedIn, page: LadderPage, source: LadderSource, found: LadderCheck, facts: dict[str, RatedFacts]
) -> bytes | None:
    """The bytes of a file that is to be judged; None if there is nothing to judge, which is said."""
    if entry.file in page.withdrawn:
        facts[entry.file] = page.withdrawn[entry.file]
        found.on_word += 1
        return None
    data = source.file(entry.file, entry.size)
    if data is None:
        found.differs(f"file {entry.file[:12]} is in the book, but not published")
        return None
    if digest_of(data).hex() != entry.file or len(data) != entry.size:
        found.differs(f"file {entry.file[:12]} is published with other bytes than the book says")
        return None
    return data


def _course(source: LadderSource, file: str, page: LadderPage) -> Course | None:
    """The course in a published file; its bytes must still be those that were judged, for they are fetched again."""
    if file in page.withdrawn:
        return None
    data = source.file(file, MAX_FILE)
    return None if data is None or digest_of(data).hex() != file else course_of(data)


# ---- what differs, in words


def _differences(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    yield from _boards(_by_board(theirs), _by_board(ours))
    yield from _rows(
        "file", _by(theirs, "files", "file"), _by(ours, "files", "file"), ("state", "reason", "places", "match")
    )
    named = [
        {(str(each.get("match")), str(each.get("key")), str(each.get("kind"))) for each in _list(said, "named")}
        for said in (theirs, ours)
    ]
    for match, key, kind in sorted(named[0] - named[1]):
        yield f"match {match[:12]}: it names {_short(key)} for two different {kind}s, the files do not"
    for match, key, kind in sorted(named[1] - named[0]):
        yield f"match {match[:12]}: by the files {_short(key)} signed two different {kind}s, which it does not say"
    if theirs != ours and not list(_known_differences(theirs, ours)):
        yield "what it says is laid out in another way than this Kontor does it"


def _known_differences(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in ("boards", "files", "named", "model") if theirs.get(name) != ours[name])


def _boards(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    for board in sorted(theirs.keys() | ours.keys()):
        one, two = (_by(side.get(board, {}), "people", "key") for side in (theirs, ours))
        yield from _rows(board, one, two, _PERSON)


def _rows(where: str, theirs: dict[str, Any], ours: dict[str, Any], fields: tuple[str, ...]) -> Iterator[str]:
    for id in sorted(theirs.keys() | ours.keys()):
        one, two = theirs.get(id), ours.get(id)
        who = _short(id) if where != "file" else id[:12]
        if one is None or two is None:
            yield (
                f"{where}: {who} is missing there" if one is None else f"{where}: {who} is there, but not by the files"
            )
            continue
        wrong = [name for name in fields if one.get(name) != two.get(name)]
        if wrong:
            said = [
                f"{name} {str(one.get(name))[:80]!a}, by the files {str(two.get(name))[:80]!a}" for name in wrong[:3]
            ]
            yield f"{where}: {who}: {'; '.join(said)}"


def _by_board(said: dict[str, Any]) -> dict[str, Any]:
    return {
        f"season {b.get('season')}, {b.get('list')}, {b.get('game')} with {b.get('players')}": b
        for b in _list(said, "boards")
    }


def _by(said: dict[str, Any], name: str, key: str) -> dict[str, Any]:
    return {str(each.get(key)): each for each in _list(said, name)}


def _list(said: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = said.get(name, [])
    if not isinstance(found, list) or any(not isinstance(each, dict) for each in found):
        raise RemoteError(f"ladder.json cannot be read: {name} is not a list of records")
    return found


def _short(key: str) -> str:
    try:
        return fingerprint(bytes.fromhex(key))[:19]
    except ValueError:
        return ascii(key)[:40]
