"""The ladder: verdicts go in, in the order of the book, ratings come out. No file, no clock, no process is known here.

**States of a file.** *Handed in*: its bytes are in the lobby's queue; nothing is known about it (`ladder_desk.py`).
*Refused*: it does not hold, is not of this ladder, or changes nothing; it is not published, its digest and the reason
are. *Waiting*: it holds and is published, but not everybody has signed its end, and others may still show theirs.
*Counted*: the result of its match is in the ratings, for good. *Copy*: it tells what a counted file tells.
*Contradicted*: files of its match cannot both be true and the rules do not say which one counts.

**Rules, in order.** Time is what the book says, the moment at which the lobby had a file whole.

1. A file is accepted if it verifies (`net/archive/rated_facts.py`), if its terms, which all players signed before the
   first ply, name this ladder and its keeper, and if game, options and seats are those of the ladder.
2. The first file opens the case of its match. A match whose end is signed by everybody who stayed, and from which
   nobody was voted out, counts at once. Any other waits: a window for others to contradict, or, if the match is not
   over, the time to come back. Publication is the handing over: whoever neither signs nor contradicts within the window
   counts as having seen the file. If a missing signature voided a match, every loser had a veto.
3. A further file of a waiting match counts if it tells more of the same course, brings another final signature, proves
   that somebody signed two different things for one place, or has somebody behind it who is not proven to have done so.
   A longer file sets the time anew: whoever plays on has come back.
4. When the time is over, the course counts that nobody disputes: no other course has somebody behind it who is not
   proven to have signed two things. Is there none or more than one, the match is contradicted and counts for nobody.
   Whoever is proven is named with the two files that prove it, and with nothing else.
5. A match that is over gives its places. Whoever left or was voted out before the end comes last and is marked; what
   a stand-in made of the seat counts for nobody. A match of two that stops where it was one player's turn is that
   player's loss, marked as *vanished*, and the other's win by half: the other did not win it at the board. If a machine
   signed that it came to another state, nobody vanished, and the match counts for nobody.
6. What was counted stays. A file that comes later changes no rating; if it proves two signatures, it names.
7. The same keys count so many matches of one game a day. Results are rated in the order in which they were counted,
   per season, list, game and number of players; every season begins anew. Below some number of matches a rating is
   provisional and stands below all others.

**Who would cheat, and how.**

- One person with many keys, who beats the others of their own. Nobody can see that from keys. A fresh key is worth
  little to whoever beats it, the same keys count few matches a day, and everything is public.
- A counted file handed in again, or with another final signature: one case per match, decided once (rules 3 and 6).
- A doctored file: refused by the judge; it never reaches this machine.
- A second file of the match, from an earlier place, made by a majority or by the last to move: rule 4. If its makers
  signed both ends they are named and the honest course counts. If they left no double signature, nothing counts: two
  of three can take a result from the third, but not give themselves one.
- A loser who signs another turn somewhere to contradict the file: is proven by it, and has nobody else behind it.
- A loser who withholds the file or the signature: anybody can hand it in, and silence is consent (rule 2).
- A winner who cuts the file where the other was to move, to have them vanish: the other's node hands in more (rule 3).
- A loser who fills the case with many courses: from the second on they are signed only by the one they prove (rule 3).
- Files that are not rated, of another ladder, with other options or with programs: rule 1, by what all have signed.
- Whoever loses on purpose to be underrated: gains nothing here, since nobody is paired by rating.
- A loser who claims that their machine differed: loses nothing, as trust demands; the ladder shows how often a key did.
- The keeper: may leave files out or lie about times. It cannot invent a match, and what it publishes must add up.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from typing import Any

from kontor_games.engine.errors import KontorError
from kontor_games.net.archive.rated_facts import RatedFacts
from kontor_games.net.wire.chain import Mark, decode
from kontor_games.net.wire.identity import fingerprint, verify

from .book import BookEntry, Differed, HandedIn, NameHidden
from .ladder_boards import Boards
from .ladder_rules import LAN, OPEN, LadderRules
from .match_case import Courses, MatchCase
from .rating_model import MODEL

HUMAN = "human"


class LadderFault(KontorError):
    """A book that cannot be: what is wrong with it, and at which entry."""


class LadderMachine:
    """All cases of one ladder, and what they come to."""

    def __init__(self, rules: LadderRules, courses: Courses) -> None:
        self.rules = rules
        self.now = 0
        self._courses = courses
        self._entries = 0
        self._cases: dict[str, MatchCase] = {}
        self._files: dict[str, str] = {}  # the match of each
        self._due: list[tuple[int, int, str]] = []
        self._names: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._boards = Boards(rules)
        self._differed: Counter[str] = Counter()

    # ---- what is handed in

    def why_not_file(self, file: str, facts: RatedFacts) -> str | None:
        """Why a file is refused now, or None; `tick` comes first."""
        reason = self._why_not_ours(facts)
        if reason is None and file in self._files:
            reason = "this very file was handed in before"
        case = self._cases.get(facts.match)
        if reason is not None or case is None:
            return reason
        judged = case.judge(file, facts, self._courses)
        return judged if isinstance(judged, str) else None

    def why_not_differed(self, entry: Differed) -> str | None:
        """Why a word about another state is refused, or None."""
        case = self._cases.get(entry.match)
        if case is None:
            return "no file of this match was handed in"
        if case.decision is not None:
            return "this match is decided already"
        raw = bytes.fromhex(entry.mark)
        try:
            mark = decode(Mark, raw)
        except KontorError as error:
            return str(error)
        if mark.m.hex() != entry.match or mark.p >= len(case.keys):
            return "the word is about another match"
        key = case.keys[mark.p]
        if not verify(bytes.fromhex(key), "ack", raw, bytes.fromhex(entry.signature)):
            return "the signature does not fit"
        if key in case.differed:
            return "this is known already"
        told = [each.best for each in case.courses if each.best.tip == mark.h.hex()]
        if not any(facts.digest != mark.d.hex() for facts in told):
            return "it does not name another state at the place where a file stops"
        return None

    def take(self, entry: BookEntry, facts: RatedFacts | None = None) -> None:
        """The next entry of the book; raises LadderFault if it cannot follow."""
        if entry.n != self._entries + 1 or entry.at < self.now:
            raise LadderFault(f"entry {entry.n} is out of order")
        self.tick(entry.at)
        match entry:
            case HandedIn():
                assert facts is not None
                self._take_file(entry, facts)
            case Differed():
                if reason := self.why_not_differed(entry):
                    raise LadderFault(f"entry {entry.n}: {reason}")
                case = self._cases[entry.match]
                key = case.keys[decode(Mark, bytes.fromhex(entry.mark)).p]
                case.differed.add(key)
                self._differed[key] += 1
            case NameHidden():
                self._hidden.add(entry.key)
        self._entries = entry.n

    def skip(self, entry: BookEntry) -> None:
        """Pass over an entry of which nothing is known; whoever checks a ladder has said so."""
        self.tick(max(entry.at, self.now))
        self._entries = entry.n

    def tick(self, now: int) -> None:
        """Decide what is due by now."""
        while self._due and self._due[0][0] <= now:
            due, _, match = heappop(self._due)
            case = self._cases[match]
            if case.decision is None and case.due == due:
                self._decide(case, due)
        self.now = max(self.now, now)

    def next_due(self) -> int | None:
        """When the next match is decided, if nothing else happens."""
        return min((case.due for case in self._cases.values() if case.decision is None), default=None)

    # ---- what it says

    def said(self) -> dict[str, Any]:
        """Everything that follows from the book up to now, as plain data."""
        return {
            "model": MODEL,
            "season": self.rules.season_at(self.now),
            "counted": self._boards.counted,
            "boards": self._boards.tables(self._shown_names()),
            "files": [self._file(file, match) for file, match in self._files.items()],
            "named": [found for match, case in self._cases.items() for found in self._named(match, case)],
            "differed": dict(sorted(self._differed.items())),
        }

    def state_of(self, match: str) -> tuple[str, str, int]:
        """State, reason and due time of a match; empty if no file of it was accepted."""
        case = self._cases.get(match)
        if case is None:
            return "", "", 0
        if case.decision is None:
            return "waiting", "", case.due
        return case.decision.state, case.decision.reason, case.due

    def withdrawable(self, key: str) -> list[str]:
        """The files of decided matches of a key that nothing is proven by: what they came to can be told without them.

        Files that contradict each other stay public: they are what anybody is named by.
        """
        cases = [case for case in self._cases.values() if key in case.keys and case.decision is not None]
        return [file for case in cases if len(case.files) == 1 for file in case.files]

    def keys_of(self, match: str) -> tuple[str, ...]:
        """Who played a match."""
        case = self._cases.get(match)
        return () if case is None else case.keys

    # ---- inside

    def _why_not_ours(self, facts: RatedFacts) -> str | None:
        if facts.refused:
            return facts.refused
        if not facts.ladder:
            return "the match was not rated: its terms, which all players signed, do not say so"
        if self._list_of(facts) is None:
            return "the match was rated for another ladder"
        if not self.rules.programs and any(kind != HUMAN for kind in facts.kinds):
            return "a program had a seat; this ladder is for people"
        if self.rules.games and facts.game not in self.rules.games:
            return f"this ladder does not rate {facts.game}"
        if facts.options:
            return f"rated matches are played with the usual options, and this one had {', '.join(facts.options)}"
        return None

    def _list_of(self, facts: RatedFacts) -> str | None:
        if facts.ladder == OPEN and facts.keeper == self.rules.keeper:
            return OPEN
        return LAN if facts.ladder == LAN and facts.keeper in ("", self.rules.keeper) else None

    def _take_file(self, entry: HandedIn, facts: RatedFacts) -> None:
        reason = self.why_not_file(entry.file, facts)
        if reason:
            raise LadderFault(f"entry {entry.n}, file {entry.file[:12]}: {reason}")
        list_name = self._list_of(facts)
        assert list_name is not None
        case = self._cases.setdefault(facts.match, MatchCase(list_name, facts.keys, facts.game, entry.n))
        judged = case.judge(entry.file, facts, self._courses)
        assert not isinstance(judged, str), "it was asked for a moment ago"
        case.add(entry, facts, judged, self.rules)
        self._files[entry.file] = facts.match
        self._names.update(zip(facts.keys, facts.names, strict=True))
        if case.decision is None:
            heappush(self._due, (case.due, case.first, facts.match))
            self.tick(entry.at)

    def _decide(self, case: MatchCase, at: int) -> None:
        decision = case.decide(self.rules)
        if decision.outcome is not None and (reason := self._boards.why_not(at, case.list_name, case.game, case.keys)):
            decision.state, decision.reason, decision.outcome = "refused", reason, None
        case.decision = decision
        if decision.outcome is not None:
            self._boards.count(at, case.list_name, case.game, case.keys, decision.outcome)

    def _shown_names(self) -> dict[str, str]:
        return {key: name for key, name in self._names.items() if key not in self._hidden}

    def _file(self, file: str, match: str) -> dict[str, Any]:
        case = self._cases[match]
        said: dict[str, Any] = {"file": file, "match": match, "list": case.list_name, "game": case.game}
        said["keys"] = list(case.keys)
        if case.decision is None:
            return {**said, "state": "waiting", "until": case.due, "reason": ""}
        decision = case.decision
        state = decision.state
        if state == "counted" and decision.course is not None:
            own, chosen = case.files[file], case.courses[decision.course]
            state = "contradicted" if own != decision.course else "counted" if chosen.file == file else "copy"
        places = list(decision.outcome.places) if state == "counted" and decision.outcome else []
        return {**said, "state": state, "at": case.due, "reason": self._shown(decision.reason, case), "places": places}

    def _shown(self, reason: str, case: MatchCase) -> str:
        """A reason without the names that are not told any more."""
        names = dict(zip(case.keys, case.courses[0].best.names, strict=True))
        for key in case.keys:
            if key in self._hidden and names[key]:
                reason = reason.replace(names[key], fingerprint(bytes.fromhex(key))[:9])
        return reason

    def _named(self, match: str, case: MatchCase) -> list[dict[str, Any]]:
        names = self._shown_names()
        return [
            {"match": match, "key": key, "name": names.get(key, ""), "kind": kind, "files": list(files)}
            for (key, kind), files in sorted(case.proven.items())
        ]
