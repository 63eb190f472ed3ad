"""No file in which one signed thing is another is judged like the match it was made from, by neither verifier.

How much is judged (`bounds`): one record of each kind in each match, of frames also the last one, one that shows cards
and one for each kind of action; there, four changes of every field in the matches of Hansa, which are short, and one in
those of the other games, beginning with another change in each match. Evidence has one change of every field, in the
matches of Hansa in each way to show it, in the others in one of three (`evidence_of`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import pytest

from kontor_games import engine
from kontor_games.net.record.verify import VERIFIED, Report
from tests.worlds.match_files import packed

from .both import agreed
from .change import Bounds, Mutant, mutants
from .evidence import evidence
from .matches import MATCHES, Match, actions, match_named
from .schema import demanded, demanded_of_evidence

EVIDENCE = (
    "hansa-3",
    "hansa-5-bye-and-votes",
    "hansa-3-midst",
    "joban-4-tasks",
    "osaka-3-unfinished",
    "yokohama-4-bye-and-vote",
)
Outcomes = Counter[tuple[str, str]]  # field, what both said


def bounds(name: str) -> Bounds:
    """How many changes are made in a match."""
    return Bounds(changes=4 if name.startswith("hansa") else 1, turn=list(MATCHES).index(name))


def evidence_of(name: str) -> Iterator[Mutant]:
    """The evidence that is judged of a match; each change is shown in three ways at least, one after the other."""
    turn = list(MATCHES).index(name)
    found = evidence(match_named(name), Bounds(changes=1, turn=turn))
    return found if name.startswith("hansa") else islice(found, turn % 3, None, 3)


def strength(report: Report) -> int:
    """How much a verdict is worth."""
    return 0 if report.code != VERIFIED else 1 + report.finished + report.final


def by_both(made: Iterable[Mutant]) -> Iterator[tuple[Mutant, bytes, Report]]:
    """What both verifiers say to each file; those about which they differ are named all together at the end."""
    differing: list[str] = []
    for mutant in made:
        data = mutant.data
        try:
            report, _ = agreed(data, mutant.label)
        except AssertionError as error:
            differing.append(str(error))
        else:
            yield mutant, data, report
    assert not differing, "\n".join(differing)


def check(match: Match, made: Iterable[Mutant]) -> Outcomes:
    """Both verifiers on these mutants of a match; how often each field came to which outcome."""
    whole = packed(match.records)
    true, _ = agreed(whole, match.name)
    found: Outcomes = Counter()
    for mutant, data, report in by_both(made):
        assert data != whole, mutant.label
        assert not report.fault, f"{mutant.label}: {report.line}"
        assert strength(report) <= strength(true), f"{mutant.label}: {report.line}"
        holds = report.code == VERIFIED and report.line == true.line
        assert not holds or may_hold(mutant.field), f"{mutant.label}: {report.line}"
        found[mutant.field, "holds" if holds else str(report.as_dict()["verdict"])] += 1
    return found


def may_hold(field: str) -> bool:
    """Whether a peer might have signed this as well, so that a file with it holds.

    The number of a vote among its sender's votes is free; and all states after a changed record are named as before, so
    an action that leads to the very same state is one that its player might have chosen.
    """
    return field == "gon.b.v" or (field.startswith("frame.a") and not field.endswith(".seat"))


def check_evidence(made: Iterable[Mutant]) -> Outcomes:
    """Both verifiers on evidence, true and false; how often each field came to which outcome."""
    found: Outcomes = Counter()
    for mutant, _, report in by_both(made):
        found[mutant.field, "a fault" if report.fault else str(report.as_dict()["verdict"])] += 1
    return found


def shown(title: str, found: Outcomes) -> str:
    """Title, kind and field, outcome of both, how often."""
    rows = [f"{title:<24} {field:<34} {outcome:<13} {count}" for (field, outcome), count in sorted(found.items())]
    return "\n".join([*rows, f"{title}: {found.total()} files, both verifiers say the same to each"])


def lacking(names: Iterable[str], counts: Counter[tuple[str, str]]) -> list[str]:
    """Fields of a game that no mutant of these matches changes; counts the mutants by field and game."""
    taken: dict[str, set[str]] = {}
    for name in names:
        match = match_named(name)
        taken.setdefault(match.game, set()).update(actions(match.records))
        counts.update((mutant.field, match.game) for mutant in mutants(match, bounds(name)))
    wanted = {(field, game) for game, tags in taken.items() for field in demanded(engine.load(game), tags)}
    return sorted(f"{field} in {game}" for field, game in wanted - counts.keys())


# ---- what is run always


def test_every_signed_field_of_hansa_is_changed_by_some_mutant() -> None:
    assert not lacking(["hansa-5-bye-and-votes", "hansa-2-forfeit"], Counter())


def test_both_verifiers_see_through_mutants_of_a_short_match() -> None:
    match = match_named("hansa-2-forfeit")
    found = check(match, islice(mutants(match, Bounds()), 0, None, 12))
    assert {outcome for _, outcome in found} >= {"verified", "refuted", "cannot judge"}


def test_both_verifiers_see_through_mutants_of_votes_and_shares() -> None:
    match = match_named("hansa-5-bye-and-votes")
    made = [each for each in mutants(match, Bounds(changes=1)) if each.field.startswith(("gon.b.", "giv.b."))]
    assert {field for field, _ in check(match, made)} >= {"gon.b.v", "gon.b.w", "gon.b.f", "giv.b.g", "giv.b.f"}


def test_both_verifiers_agree_about_evidence_of_bad_shares() -> None:
    made = [each for each in evidence(match_named("hansa-5-bye-and-votes"), Bounds(changes=2)) if ".cmp" in each.field]
    found = check_evidence(made)
    assert found["signed.cmp", "a fault"] == 1 and found["signed.cmp", "refuted"] == 1


# ---- everything


@pytest.mark.long
def test_every_signed_field_of_every_record_of_every_game_is_changed_by_some_mutant() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    missing = lacking(MATCHES, counts)
    games = engine.game_ids()
    print(f"{'mutants of':<44}", *(f"{game:>9}" for game in games))
    for field in sorted({field for field, _ in counts}):
        print(f"{field:<44}", *(f"{counts[field, game] or '-':>9}" for game in games))
    for game in games:
        seen = {tag for name in MATCHES if MATCHES[name].game == game for tag in actions(match_named(name).records)}
        never = [str(cls.__struct_config__.tag) for cls in engine.load(game).actions]
        print(f"actions of {game} that nobody took in these matches:", *(tag for tag in never if tag not in seen))
    print(f"{counts.total()} mutants, {len({field for field, _ in counts})} fields")
    assert not missing


@pytest.mark.long
def test_every_field_of_every_kind_of_message_is_changed_in_some_evidence() -> None:
    counts: Counter[str] = Counter()
    for name in EVIDENCE:
        counts.update(mutant.field for mutant in evidence_of(name))
    print("\n".join(f"{field:<44} {count}" for field, count in sorted(counts.items())))
    print(f"{counts.total()} files, {len(counts)} fields")
    assert not demanded_of_evidence() - counts.keys()


@pytest.mark.long
def test_the_matches_hold_every_game_size_and_way_to_leave() -> None:
    plans = MATCHES.values()
    assert {plan.game for plan in plans} == set(engine.game_ids())
    assert {plan.peers for plan in plans} == {2, 3, 4, 5}
    lines = {name: agreed(packed(match_named(name).records), name)[0].line for name in MATCHES}
    print("\n".join(f"{name:<24} {line}" for name, line in lines.items()))
    assert all(line.startswith("verified") for line in lines.values())
    for words in ("signed by all", "left in order", "voted out at", "voted out after the end", "forfeits", "stops"):
        assert any(words in line for line in lines.values()), words


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", MATCHES)
def test_both_verifiers_see_through_every_mutant(name: str) -> None:
    match = match_named(name)
    print(shown(name, check(match, mutants(match, bounds(name)))))


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", EVIDENCE)
def test_both_verifiers_agree_about_all_evidence(name: str) -> None:
    print(shown(f"evidence of {name}", check_evidence(evidence_of(name))))
