"""One match before the ladder: its files, how they stand to each other, and what they come to when its time is over.

A machine; the essay is in `ladder.py`. Courses are worked out only when a second file of a match comes: most matches
have one. Files that tell one chain are one course, whichever is longer; the longest tells what happened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from kontor_games.net.archive.rated_facts import RatedFacts
from kontor_games.net.record.compare import MAX_STORIES, Compared, Kept, fold, listed

from .book import HandedIn
from .courses import Course, disputed
from .ladder_boards import Outcome
from .ladder_rules import HOUR, LadderRules

FileState: TypeAlias = Literal["waiting", "counted", "copy", "contradicted", "refused"]
Courses: TypeAlias = Callable[[str], Course | None]
_KINDS = {"frame": "turns", "final": "final signatures"}


@dataclass
class CaseCourse:
    """Files of one match that tell one chain."""

    best: RatedFacts
    file: str  # the one that tells most
    signed: frozenset[int]  # whose final signature is in any of them
    course: Course | None = None


@dataclass
class CaseDecision:
    """What became of a match."""

    state: FileState
    reason: str
    outcome: Outcome | None = None
    course: int | None = None  # which of its courses counts


@dataclass
class CaseJudged:
    """How one more file stands to those before it."""

    home: int | None  # the course that it tells, None if it is another one
    compared: Compared
    twice: dict[tuple[str, str], str]  # key and kind, and the file that shows the other signature
    course: Course | None


@dataclass
class MatchCase:
    """All files of one match."""

    list_name: str
    keys: tuple[str, ...]
    game: str
    first: int  # number of its first file: breaks ties of time
    due: int = 0
    decision: CaseDecision | None = None
    courses: list[CaseCourse] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)  # the course of each
    proven: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)  # key and kind: two files that show it
    differed: set[str] = field(default_factory=set)
    kept: Kept = field(default_factory=list)

    def judge(self, file: str, facts: RatedFacts, courses: Courses) -> CaseJudged | str:
        """How a file stands to those before it, or why it changes nothing."""
        if not self.courses:
            return CaseJudged(0, Compared(), {}, None)
        new = courses(file)
        kept = self._kept(courses)
        if new is None or kept is None:
            return "the files of this match are no longer public, so that nothing can be held against them"
        compared = fold(kept, file, new.story)
        twice = {pair: each.label for each in compared.contradicts for pair in each.twice}
        judged = CaseJudged(self._home(compared), compared, twice, new)
        return self._why_no_news(judged, facts) or judged

    def add(self, handed: HandedIn, facts: RatedFacts, judged: CaseJudged, rules: LadderRules) -> None:
        """Take in a file that was judged so."""
        signed = frozenset(seat for seat, is_signed in enumerate(facts.signed) if is_signed)
        told = CaseCourse(facts, handed.file, signed, judged.course)
        for pair, label in judged.twice.items():
            self.proven.setdefault(pair, (label, handed.file))
        if judged.course is not None:
            fold(self.kept, handed.file, judged.course.story)
        home = judged.home
        is_longer = home is None or not self.courses or _weight(facts) > _weight(self.courses[home].best)
        if home is None or not self.courses:
            home = len(self.courses)
            self.courses.append(told)
        else:
            self._join(home, told)
        self.files[handed.file] = home
        if self.decision is None:
            self._set_due(handed.at, is_longer, rules)

    def decide(self, rules: LadderRules) -> CaseDecision:
        """What the match comes to, now that its time is over."""
        liars = {key for key, _ in self.proven}
        standing = [number for number in range(len(self.courses)) if not self._is_disputed(number, liars)]
        if len(standing) != 1:
            text = self.accusation() or "the files cannot both be true, and nobody is proven to have done wrong"
            return CaseDecision("contradicted", text)
        told = self.courses[standing[0]]
        if told.best.ending == "open":
            return self._left_open(told.best, standing[0])
        return _finished(told, standing[0])

    def accusation(self) -> str:
        """Who is proven to have signed two things; empty if nobody is."""
        names = dict(zip(self.keys, self.courses[0].best.names, strict=True))
        kinds = {key: [_KINDS.get(k, k) for one, k in sorted(self.proven) if one == key] for key, _ in self.proven}
        return "; ".join(f"{names[key]} signed two different {listed(kinds[key])}" for key in sorted(kinds))

    def _kept(self, courses: Courses) -> Kept | None:
        if len(self.courses) == 1 and not self.kept:
            first = self.courses[0]
            first.course = courses(first.file)
            if first.course is None:
                return None
            self.kept.append((first.file, first.course.story))
        return list(self.kept)

    def _home(self, compared: Compared) -> int | None:
        return self.files[compared.copy_of] if compared.copy_of else None

    def _why_no_news(self, judged: CaseJudged, facts: RatedFacts) -> str | None:
        is_proof = bool(judged.twice.keys() - self.proven.keys())
        if self.decision is not None:
            return None if is_proof else "this match is decided already; a later file changes nothing"
        if judged.home is not None:
            told = self.courses[judged.home]
            signed = {seat for seat, is_signed in enumerate(facts.signed) if is_signed}
            is_news = _weight(facts) > _weight(told.best) or bool(signed - told.signed) or is_proof
            return None if is_news else "a copy: it tells nothing that is not known already"
        if len(self.courses) >= MAX_STORIES:
            return "this match has as many contradicting files as are kept"
        liars = {key for key, _ in self.proven} | {key for key, _ in judged.twice}
        course = judged.course
        assert course is not None
        others = [each.course for each in self.courses if each.course is not None]
        if is_proof or any(disputed(other, course, liars) for other in others):
            return None
        return "it is signed only by people who are known to have signed two things in this match"

    def _join(self, home: int, told: CaseCourse) -> None:
        old = self.courses[home]
        longer, other = (told, old) if _weight(told.best) > _weight(old.best) else (old, told)
        if told.best.items == old.best.items:
            longer.signed = longer.signed | other.signed
        if longer.course is not None and other.course is not None:
            finals = longer.course.finals | other.course.finals
            longer.course = Course(longer.course.story, longer.course.words, finals)
        self.courses[home] = longer

    def _is_disputed(self, number: int, liars: set[str]) -> bool:
        """Whether another course of this match has somebody honest behind it."""
        own = self.courses[number].course
        if own is None:
            return False
        others = [each.course for at, each in enumerate(self.courses) if at != number]
        return any(disputed(own, other, liars) for other in others if other is not None)

    def _set_due(self, at: int, is_longer: bool, rules: LadderRules) -> None:
        if len(self.courses) > 1:
            self.due = max(self.due, at + rules.window_hours * HOUR) if is_longer else self.due
            return
        told = self.courses[0]
        if told.best.ending == "open":
            self.due = at + rules.return_hours * HOUR if is_longer else self.due
        elif _is_signed_by_all(told):
            self.due = at
        elif is_longer:
            self.due = at + rules.window_hours * HOUR

    def _left_open(self, facts: RatedFacts, number: int) -> CaseDecision:
        if len(facts.keys) != 2:
            return CaseDecision("refused", "the match is not over; one of more than two counts when it has ended")
        if self.differed:
            return CaseDecision(
                "refused", "a machine came to another state than the file: nobody's fault, and not counted"
            )
        if len(facts.owes) != 1:
            return CaseDecision(
                "refused", "the match is not over, and it stops where it was not one person's turn alone"
            )
        (gone,) = facts.owes
        outcome = Outcome(
            places=tuple(2 if seat == gone else 1 for seat in (0, 1)),
            marks=tuple("vanished" if seat == gone else "" for seat in (0, 1)),
            halved=tuple(seat != gone for seat in (0, 1)),
            text=f"{facts.names[gone]} did not come back",
        )
        return CaseDecision("counted", outcome.text, outcome, number)


def _finished(told: CaseCourse, number: int) -> CaseDecision:
    """Whoever left before the end is last, whatever the stand-in made of the seat; the others keep their order."""
    facts = told.best
    seats = range(len(facts.keys))
    stayed = [seat for seat in seats if not facts.left[seat]]
    if not stayed:
        return CaseDecision("refused", "everybody had left when the match ended")
    ranks = (
        {place: rank for rank, place in enumerate(sorted({facts.places[s] for s in stayed}), 1)} if facts.places else {}
    )
    last = len(ranks or (1,)) + 1
    places = tuple(last if facts.left[s] else ranks[facts.places[s]] if ranks else 1 for s in seats)
    marks = tuple({"": "", "in order": "left", "voted out": "voted out"}[facts.left[s]] for s in seats)
    gone = [
        f"{facts.names[s]} {'was voted out' if facts.left[s] == 'voted out' else 'left'}"
        for s in seats
        if facts.left[s]
    ]
    silent = [facts.names[s] for s in stayed if s not in told.signed]
    text = "; ".join([*gone, *([f"not signed by {listed(silent)}, who did not contradict it"] if silent else [])])
    return CaseDecision("counted", text, Outcome(places, marks, (False,) * len(places), text), number)


def _is_signed_by_all(told: CaseCourse) -> bool:
    """Whether everybody who stayed has signed the end, and nobody was put out."""
    facts = told.best
    stayed = {seat for seat, left in enumerate(facts.left) if not left}
    return facts.ending in ("finished", "forfeit") and "voted out" not in facts.left and stayed <= told.signed


def _weight(facts: RatedFacts) -> tuple[int, bool, int]:
    """How much a file tells."""
    return facts.items, facts.ending != "alone", sum(facts.signed)
