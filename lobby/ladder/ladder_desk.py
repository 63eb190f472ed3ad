"""The desk of a ladder: takes files from a queue on the disk, has them judged, keeps the book, publishes.

    rules.json               how this ladder counts; fixed when it begins
    queue/                   files that were handed in whole, and names that are to be removed; oldest first
    book.jsonl               every entry of the book with the facts of its file, appended and synced
    refused.jsonl            what was not accepted, and why
    withheld/                files that are not published any more, because a name in them was removed
    published/               what everybody may see: ladder.json and files/

A file counts exactly once, whenever the process is killed. The steps for a file that is accepted, in order: its bytes
lie in `published/files` under their digest; its line is in the book and synced; it leaves the queue. Whoever is killed
before the second step does the first again, which changes nothing; whoever is killed before the third finds the digest
in the book and only takes the file out of the queue. A line that was torn was never synced, so nothing followed from
it: it is cut off. `ladder.json` is exchanged as a whole and made anew from the book whenever something has changed.

One process keeps the desk (a lock); others that share the folder may put files into the queue. What an attacker would
try: files without number (the queue is bounded, and so is what one key may hand in, `uploads.py`), files that are dear
to judge (bounds of size, of seconds of a processor, processes of their own), the same file a thousand times (known by
its digest before it is judged).
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kontor_games.engine.errors import StoreError
from kontor_games.net.archive.asking import digest_of
from kontor_games.net.archive.judge_pool import JudgePool
from kontor_games.net.archive.order_pipe import FileOrder
from kontor_games.net.archive.rated_facts import RatedFacts, facts_in
from kontor_games.net.wire.identity import Signer, fingerprint

from .book import BookEntry, Differed, HandedIn, NameHidden
from .courses import Course, course_of
from .ladder import LadderMachine
from .ladder_rules import LadderRules
from .manifest import FILES, NAME, SHOWN_REFUSALS, LadderPage, RefusedFile, sealed_page

QUEUED: Final = re.compile(r"(\d{16})-([0-9a-f]{64})\.(kontor|hide|differs)")
AHEAD: Final = 4  # files that are being judged while the oldest one is
MAX_QUEUE: Final = 1000
_encode = msgspec.json.Encoder().encode


class BookLine(msgspec.Struct, frozen=True):
    """One line of the book on the disk."""

    entry: BookEntry
    facts: RatedFacts | None = None


_line = msgspec.json.Decoder(BookLine)


@dataclass
class _QueuedFile:
    path: Path
    at: int
    name: str
    number: int = -1
    facts: RatedFacts | None = None


class LadderDesk:
    """One ladder on the disk; close it."""

    def __init__(
        self, folder: Path, rules: LadderRules, signer: Signer, title: str, cpu: int = 60, jobs: int = 1
    ) -> None:
        self.folder = folder
        self._signer, self._title, self._cpu = signer, title, cpu
        for name in ("queue", "withheld", f"published/{FILES}"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.rules = _kept_rules(folder / "rules.json", rules)
        self._lines = _whole_lines(folder / "book.jsonl")
        self._refused: deque[RefusedFile] = deque(_refusals(folder / "refused.jsonl"), SHOWN_REFUSALS)
        self._files: dict[str, RatedFacts] = {}
        self._withdrawn: dict[str, RatedFacts] = {}
        self.ladder = self._rebuilt(0)
        self._pool = JudgePool(jobs)
        self._line: deque[_QueuedFile] = deque()
        self._submitted = 0
        self._changed = True
        self.on_decided: Callable[[str, str, str], None] = lambda file, state, reason: None

    def close(self) -> None:
        """Let go of the judges; everything is on the disk."""
        self._pool.close()

    @property
    def published(self) -> Path:
        """The folder that everybody may see."""
        return self.folder / "published"

    def knows(self, file: str) -> bool:
        """Whether the book has a file with this digest."""
        return file in self._files

    def work(self, now: int, patience: float = 0.0) -> bool:
        """Do what there is to do without waiting longer than `patience`; whether something was done."""
        self._look_at_queue()
        done = (
            self._pool.next(patience) if any(each.number >= 0 and each.facts is None for each in self._line) else None
        )
        while done is not None:
            for each in self._line:
                if each.number == done.number:
                    each.facts = RatedFacts(refused=done.reason) if done.answer is None else facts_in(done.answer)
            done = self._pool.next(0)
        worked = False
        while self._line and self._is_ready(self._line[0]):
            self._settle(self._line.popleft(), now)
            worked = self._changed = True
        due = self.ladder.next_due()
        if due is not None and due <= now:
            self._changed = True
        self.ladder.tick(now)
        if self._changed and self._to_withdraw(self.ladder) - self._withdrawn.keys():
            self.ladder = self._rebuilt(now)
        if self._changed:
            self.publish(now)
        return worked

    def is_idle(self) -> bool:
        """Whether nothing is queued or being judged."""
        return not self._line and not any(self._queued())

    def publish(self, now: int) -> None:
        """Make ladder.json anew, then take back what is not to be public any more."""
        self.ladder.tick(now)
        page = LadderPage(
            title=self._title,
            rules=self.rules,
            as_of=self.ladder.now,
            book=tuple(line.entry for line in self._lines),
            withdrawn=dict(self._withdrawn),
            refused=tuple(self._refused),
            said=self.ladder.said(),
        )
        write_whole(self.published / NAME, sealed_page(page, self._signer))
        for file in self._withdrawn:
            with suppress(FileNotFoundError):
                os.replace(self._public(file), self.folder / "withheld" / f"{file}.kontor")
        self._changed = False

    # ---- the queue

    def _queued(self) -> list[tuple[Path, int, str, str]]:
        found = []
        for path in sorted((self.folder / "queue").iterdir()):
            if named := QUEUED.fullmatch(path.name):
                found.append((path, int(named[1]), named[2], named[3]))
        return found

    def _look_at_queue(self) -> None:
        known = {each.path for each in self._line}
        for path, at, name, kind in self._queued():
            if len(self._line) >= AHEAD:
                return
            if path in known:
                continue
            waiting = _QueuedFile(path, at, name)
            self._line.append(waiting)
            if kind == "kontor" and not self.knows(name):
                waiting.number = self._submitted
                self._submitted += 1
                self._pool.submit(waiting.number, FileOrder("rate", path.read_bytes(), self._cpu))

    def _is_ready(self, waiting: _QueuedFile) -> bool:
        return waiting.number < 0 or waiting.facts is not None

    def _settle(self, waiting: _QueuedFile, now: int) -> None:
        at = max(waiting.at, self.ladder.now)
        self.ladder.tick(at)
        if waiting.path.suffix == ".hide":
            self._hide(waiting.name, at)
        elif waiting.path.suffix == ".differs":
            self._differed(waiting, at)
        elif self.knows(waiting.name):
            self.on_decided(waiting.name, "refused", "this very file was handed in before")
        elif waiting.facts is not None:
            self._judge(waiting, waiting.facts, at)
        waiting.path.unlink(missing_ok=True)

    def _judge(self, waiting: _QueuedFile, facts: RatedFacts, at: int) -> None:
        data = waiting.path.read_bytes()
        reason = "it was changed in the queue" if digest_of(data).hex() != waiting.name else None
        if reason is None:
            write_whole(self._public(waiting.name), data)  # before it is compared with others of its match
            reason = self.ladder.why_not_file(waiting.name, facts)
        if reason is not None:
            self._public(waiting.name).unlink(missing_ok=True)
            self._refuse(waiting.name, reason, at)
            return
        self._append(HandedIn(len(self._lines) + 1, at, waiting.name, len(data)), facts)
        self._files[waiting.name] = facts
        state, text, _ = self.ladder.state_of(facts.match)
        self.on_decided(waiting.name, state, text)

    def _refuse(self, file: str, reason: str, at: int) -> None:
        refused = RefusedFile(at, file, reason[:400])
        self._refused.append(refused)
        _append_line(self.folder / "refused.jsonl", _encode(refused))
        self.on_decided(file, "refused", reason)

    def _differed(self, waiting: _QueuedFile, at: int) -> None:
        try:
            said = json.loads(waiting.path.read_bytes())
            entry = msgspec.convert({**said, "n": len(self._lines) + 1, "at": at}, Differed)
        except (msgspec.MsgspecError, ValueError) as error:
            self.on_decided(waiting.name, "refused", f"the word cannot be read: {error}")
            return
        reason = self.ladder.why_not_differed(entry)
        if reason is None:
            self._append(entry, None)
        self.on_decided(waiting.name, "counted" if reason is None else "refused", reason or "a machine differed")

    def _hide(self, key: str, at: int) -> None:
        self._append(NameHidden(len(self._lines) + 1, at, key), None)
        self.ladder = self._rebuilt(at)

    # ---- the book

    def _append(self, entry: BookEntry, facts: RatedFacts | None) -> None:
        line = BookLine(entry, facts)
        _append_line(self.folder / "book.jsonl", _encode(line))
        self._lines.append(line)
        self.ladder.take(entry, facts)

    def _rebuilt(self, now: int) -> LadderMachine:
        """The ladder as the book gives it; files that were withdrawn are told without the names that were removed."""
        files = [(line.entry.file, line.facts) for line in self._lines if isinstance(line.entry, HandedIn)]
        self._files = {file: facts for file, facts in files if facts is not None}
        self._withdrawn = {}
        first = self._folded(now)
        withdrawn = self._to_withdraw(first)
        if not withdrawn:
            return first
        hidden = self._hidden().keys()
        self._withdrawn = {file: _without_names(self._files[file], hidden) for file in sorted(withdrawn)}
        self._files |= self._withdrawn
        return self._folded(now)

    def _folded(self, now: int) -> LadderMachine:
        ladder = LadderMachine(self.rules, self._course)
        for line in self._lines:
            ladder.take(line.entry, self._files.get(line.entry.file) if isinstance(line.entry, HandedIn) else None)
        ladder.tick(max(now, ladder.now))
        return ladder

    def _hidden(self) -> dict[str, int]:
        """The keys whose names were removed, and the number of the last entry that says so."""
        return {line.entry.key: line.entry.n for line in self._lines if isinstance(line.entry, NameHidden)}

    def _to_withdraw(self, ladder: LadderMachine) -> set[str]:
        """The files that were handed in before a name in them was removed, of matches that are decided by now.

        A match that waits is decided by its file, which others may still contradict; its file goes when that is over.
        """
        hidden = self._hidden()
        if not hidden:
            return set()
        number = {line.entry.file: line.entry.n for line in self._lines if isinstance(line.entry, HandedIn)}
        return {file for key, n in hidden.items() for file in ladder.withdrawable(key) if number[file] < n}

    def _course(self, file: str) -> Course | None:
        if file in self._withdrawn:
            return None
        try:
            return course_of(self._public(file).read_bytes())
        except OSError:
            return None

    def _public(self, file: str) -> Path:
        return self.published / FILES / f"{file}.kontor"


def put_in_queue(folder: Path, data: bytes, at: int) -> str:
    """Hand a file in: when this returns, it is on the disk and will be judged; its digest. StoreError if it is full."""
    return _queue_up(folder, data, "kontor", at)


def put_word_in_queue(folder: Path, match: str, mark: str, signature: str, at: int) -> str:
    """The same for the word of a machine that came to another state; all in hex."""
    said = {"what": "differs", "match": match, "mark": mark, "signature": signature}
    return _queue_up(folder, json.dumps(said).encode(), "differs", at)


def _queue_up(folder: Path, data: bytes, kind: str, at: int) -> str:
    queue = folder / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    if sum(1 for _ in queue.iterdir()) >= MAX_QUEUE:
        raise StoreError("too many files wait to be judged; hand it in later")
    file = digest_of(data).hex()
    write_whole(queue / f"{at:016}-{file}.{kind}", data)
    return file


def ask_to_hide(folder: Path, key: str, at: int) -> None:
    """Have the name of a key removed; the desk does it when it comes to it."""
    write_whole(folder / "queue" / f"{at:016}-{key}.hide", b"\n")


def write_whole(path: Path, data: bytes) -> None:
    """A file with these bytes, whole and synced, or the file that was there before."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    if os.name == "nt":
        return  # Windows has no way to sync a folder
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _append_line(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _whole_lines(path: Path) -> list[BookLine]:
    """The lines of a book; a torn one at its end was never acknowledged, and is cut off."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    try:
        return [_line.decode(line) for line in whole.splitlines()]
    except msgspec.MsgspecError as error:
        raise StoreError(f"{path} is damaged: {error}; restore it from a back-up") from None


def _refusals(path: Path) -> list[RefusedFile]:
    found = []
    with suppress(FileNotFoundError):
        for line in path.read_bytes().splitlines()[-SHOWN_REFUSALS:]:
            with suppress(msgspec.MsgspecError):
                found.append(msgspec.json.decode(line, type=RefusedFile))
    return found


def _kept_rules(path: Path, rules: LadderRules) -> LadderRules:
    """The rules that this ladder began with; what is rated already must not change its meaning."""
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=LadderRules)
    except FileNotFoundError:
        write_whole(path, json.dumps(msgspec.to_builtins(rules), indent=1).encode() + b"\n")
        return rules
    except msgspec.MsgspecError as error:
        raise StoreError(f"{path} cannot be read: {error}") from None
    if kept.keeper != rules.keeper:
        raise StoreError(
            f"{path}: this ladder belongs to another lobby's key ({fingerprint(bytes.fromhex(kept.keeper))})"
        )
    return kept


def why_other_rules(kept: LadderRules, asked: LadderRules) -> str | None:
    """Which settings have no effect because the ladder has begun with others, or None."""
    other: list[Any] = [name for name in asked.__struct_fields__ if getattr(kept, name) != getattr(asked, name)]
    other = [name for name in other if name != "since"]
    return f"the ladder began with other rules and keeps them: {', '.join(other)}" if other else None


def _without_names(facts: RatedFacts, hidden: Set[str]) -> RatedFacts:
    names = [
        fingerprint(bytes.fromhex(key))[:9] if key in hidden else name
        for key, name in zip(facts.keys, facts.names, strict=True)
    ]
    return replace(facts, names=tuple(names), line="")
