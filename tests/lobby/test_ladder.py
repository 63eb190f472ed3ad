"""The ladder as a machine: what counts, what waits, who is named, and what whoever cheats gets from it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.lobby.ladder.book import Differed, HandedIn, NameHidden
from kontor_games.lobby.ladder.courses import Course, course_of
from kontor_games.lobby.ladder.ladder import LadderFault, LadderMachine
from kontor_games.lobby.ladder.ladder_rules import DAY, HOUR, LadderRules
from kontor_games.lobby.ladder.rating_model import Rating, rated
from kontor_games.net.archive.rated_facts import RatedFacts, rated_facts
from kontor_games.net.wire.chain import Mark, encode
from kontor_games.net.wire.messages import Ladder as LadderClause
from tests.net.record.test_compare import gone_back
from tests.net.record.test_verdicts import other_ends
from tests.worlds.ladder_files import KEEPER, PeopleWorld, file_of, name_of, rated_match, rated_terms, told
from tests.worlds.match_files import packed, transcript, without_end
from tests.worlds.quick_algebra import quick_algebra  # noqa: F401 - sealed matches are played here
from tests.worlds.world import identity

RULES = LadderRules(KEEPER.key.hex(), since=0, provisional=3)
ANN, BEN, CAT = (identity(n).key.hex() for n in range(3))


class Desk:
    """Hands things to a ladder and keeps its book."""

    def __init__(self, rules: LadderRules = RULES) -> None:
        self.files: dict[str, bytes] = {}
        self.facts: dict[str, RatedFacts] = {}
        self.book: list[Any] = []
        self.ladder = LadderMachine(rules, self.course)

    def course(self, file: str) -> Course | None:
        return course_of(self.files[file]) if file in self.files else None

    def hand_in(self, data: bytes, at: int = 0) -> str:
        """Why it is refused; empty if it is not."""
        file = name_of(data)
        self.files[file] = data
        return self.take(file, rated_facts(data), at, len(data))

    def take(self, file: str, facts: RatedFacts, at: int = 0, size: int = 1) -> str:
        self.ladder.tick(at)
        reason = self.ladder.why_not_file(file, facts)
        if reason is None:
            self.facts[file] = facts
            self.add(HandedIn(len(self.book) + 1, at, file, size), facts)
        return reason or ""

    def add(self, entry: Any, facts: RatedFacts | None = None) -> None:
        self.ladder.take(entry, facts)
        self.book.append(entry)

    def made(self, number: int, at: int = 0, **fields: Any) -> str:
        return self.take(f"{number:064x}", facts(number, **fields), at)

    def states(self) -> list[str]:
        return [each["state"] for each in self.ladder.said()["files"]]

    def people(self, board: int = 0) -> dict[str, dict[str, Any]]:
        return {row["key"]: row for row in self.ladder.said()["boards"][board]["people"]}


def facts(match: int, **fields: Any) -> RatedFacts:
    """A match of two that Ann won and both signed."""
    usual = RatedFacts(
        match=f"{match:064x}",
        game="joban",
        ladder="open",
        keeper=KEEPER.key.hex(),
        keys=(ANN, BEN),
        names=("Ann", "Ben"),
        kinds=("human", "human"),
        ending="finished",
        places=(1, 2),
        left=("", ""),
        signed=(True, True),
        items=10,
    )
    return replace(usual, **fields)


@pytest.fixture(scope="module")
def two() -> PeopleWorld:
    return rated_match("joban", (0, 1), "two")


@pytest.fixture(scope="module")
def rewritten() -> tuple[PeopleWorld, Any]:
    """A match of three, and what the others made of it afterwards without the first."""
    true = rated_match("joban", (0, 1, 2), "three")
    frames = [k for k, item in enumerate(true.nodes[0].session.ledger.items) if item.kind == "frame"]
    return true, gone_back(true, gone=0, count=frames[4], seed="again")


# ---- ratings


def test_the_model_is_pinned_to_the_millionth() -> None:
    """Another library, model or parameter would give other numbers, and no published ladder would hold any more."""
    first = rated([Rating(), Rating()], [1, 2], [False, False])
    assert [(r.mu, r.sigma) for r in first] == [(27_635_389, 8_065_901), (22_364_611, 8_065_901)]
    third = rated([*first, Rating()], [3, 1, 1], [False, False, False])
    assert [(r.mu, r.sigma) for r in third] == [(26035907, 7939198), (23268024, 7958789), (25742987, 8199040)]
    assert Rating().points == 1000


def test_a_halved_result_moves_half_the_way() -> None:
    whole = rated([Rating(), Rating()], [1, 2], [False, False])
    half = rated([Rating(), Rating()], [1, 2], [True, False])
    assert half[1] == whole[1]
    assert half[0].mu - Rating().mu == (whole[0].mu - Rating().mu) // 2
    assert whole[0].sigma < half[0].sigma < Rating().sigma


def test_results_count_per_season_list_game_and_number_of_players() -> None:
    desk = Desk()
    assert desk.made(1) == desk.made(2, game="osaka") == desk.made(3, ladder="lan", keeper="") == ""
    assert desk.made(4, at=92 * DAY) == ""
    boards = [(b["season"], b["list"], b["game"], b["players"]) for b in desk.ladder.said()["boards"]]
    assert boards == [(1, "lan", "joban", 2), (1, "open", "joban", 2), (1, "open", "osaka", 2), (2, "open", "joban", 2)]
    assert desk.people(3)[ANN]["matches"] == 1, "every season begins anew"


def test_few_matches_are_provisional_and_stand_below_all_others() -> None:
    desk = Desk()
    for number in range(3):
        desk.made(number, keys=(ANN, BEN))
    desk.made(9, keys=(CAT, BEN), names=("Cat", "Ben"))
    rows = desk.ladder.said()["boards"][0]["people"]
    assert [(row["name"], row["provisional"]) for row in rows] == [("Ann", False), ("Ben", False), ("Cat", True)]


def test_the_same_people_count_so_many_matches_a_day() -> None:
    desk = Desk(replace(RULES, same_people=2))
    for number in range(3):
        assert desk.made(number) == ""
    assert desk.states() == ["counted", "counted", "refused"]
    assert "on this day already" in desk.ladder.said()["files"][2]["reason"]
    desk.made(4, at=DAY)
    assert desk.people()[ANN]["matches"] == 3


# ---- what is refused


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"refused": "refuted: ply 3"}, "refuted: ply 3"),
        ({"ladder": ""}, "was not rated"),
        ({"ladder": "spring"}, "another ladder"),
        ({"keeper": ""}, "another ladder"),
        ({"keeper": ANN}, "another ladder"),
        ({"ladder": "lan", "keeper": ANN}, "another ladder"),
        ({"kinds": ("human", "skilled")}, "a program had a seat"),
        ({"options": ("max_rounds = 3",)}, "max_rounds = 3"),
    ],
)
def test_files_of_other_matches_are_refused_in_words(fields: dict[str, Any], words: str) -> None:
    desk = Desk()
    assert words in desk.made(1, **fields)
    assert desk.states() == []


def test_only_the_games_of_the_ladder_count() -> None:
    desk = Desk(replace(RULES, games=("osaka",)))
    assert "does not rate joban" in desk.made(1)
    assert desk.made(2, game="osaka") == ""


def test_a_counted_file_handed_in_again_changes_nothing(two: PeopleWorld) -> None:
    desk = Desk()
    assert desk.hand_in(file_of(two)) == ""
    before = desk.ladder.said()
    assert desk.states() == ["counted"]
    assert "handed in before" in desk.hand_in(file_of(two), HOUR)
    unsigned = packed(without_end(told(two)))
    assert "decided already" in desk.hand_in(unsigned, HOUR)
    assert desk.ladder.said() == before


def test_a_book_that_goes_back_in_time_or_leaves_out_a_number_is_refused() -> None:
    desk = Desk()
    desk.made(1, at=HOUR)
    for n, at in ((2, 0), (3, HOUR)):
        with pytest.raises(LadderFault, match="out of order"):
            desk.ladder.take(HandedIn(n, at, "ab" * 32, 1), facts(7))


# ---- who has signed, and who is silent


def test_silence_is_consent_after_the_window() -> None:
    desk = Desk()
    desk.made(1, signed=(True, False))
    assert desk.states() == ["waiting"] and desk.ladder.next_due() == 48 * HOUR
    desk.ladder.tick(48 * HOUR - 1)
    assert desk.states() == ["waiting"]
    desk.ladder.tick(48 * HOUR)
    (file,) = desk.ladder.said()["files"]
    assert (file["state"], file["reason"]) == ("counted", "not signed by Ben, who did not contradict it")
    assert desk.people()[BEN]["matches"] == 1


def test_a_signature_that_comes_later_ends_the_window(two: PeopleWorld) -> None:
    desk = Desk()
    assert desk.hand_in(packed(without_end(told(two)))) == ""
    assert desk.states() == ["waiting"]
    assert desk.hand_in(file_of(two), HOUR) == ""
    assert desk.states() == ["copy", "counted"] and desk.ladder.said()["counted"] == 1


def test_whoever_left_or_was_voted_out_is_last_whatever_the_stand_in_did() -> None:
    three = {"keys": (ANN, BEN, CAT), "names": ("Ann", "Ben", "Cat"), "kinds": ("human",) * 3}
    desk = Desk()
    desk.made(1, **three, places=(1, 3, 2), left=("voted out", "", ""), signed=(False, True, True))
    assert desk.states() == ["waiting"], "whoever was put out may have another file"
    desk.made(2, **three, places=(2, 1, 3), left=("", "in order", ""), signed=(True, False, True))
    desk.ladder.tick(48 * HOUR)
    files = desk.ladder.said()["files"]
    assert [file["places"] for file in files] == [[3, 2, 1], [1, 3, 2]]
    assert desk.people()[ANN]["marks"] == {"voted out": 1} and desk.people()[BEN]["marks"] == {"left": 1}
    assert files[0]["reason"].startswith("Ann was voted out")


def test_a_match_given_up_counts_at_once() -> None:
    desk = Desk()
    desk.made(1, ending="forfeit", places=(), left=("in order", ""), signed=(False, True))
    assert desk.states() == ["counted"] and desk.people()[BEN]["won"] == 1


# ---- matches that stop


def test_whoever_vanishes_from_a_match_of_two_loses_and_the_other_wins_by_half() -> None:
    desk, whole = Desk(), Desk()
    desk.made(1, ending="open", places=(), signed=(False, False), owes=(1,))
    whole.made(1)
    assert desk.states() == ["waiting"] and desk.ladder.next_due() == 72 * HOUR
    desk.ladder.tick(72 * HOUR)
    ann, ben = desk.people()[ANN], desk.people()[BEN]
    assert ben["marks"] == {"vanished": 1} and ann["marks"] == {}
    assert ben["mu"] == whole.people()[BEN]["mu"]
    assert ann["mu"] - Rating().mu == (whole.people()[ANN]["mu"] - Rating().mu) // 2
    assert desk.ladder.said()["files"][0]["reason"] == "Ben did not come back"


def test_a_file_cut_where_the_other_was_to_move_is_answered_with_more(two: PeopleWorld) -> None:
    """The loser would have the winner vanish; the winner's node hands in the rest."""
    records = told(two)
    winner = rated_facts(file_of(two)).places.index(1)
    cuts = [records[:count] for count in range(len(records) - 2, 1, -1)]
    cut = next(each for each in cuts if rated_facts(packed(each)).owes == (winner,))
    desk = Desk()
    assert desk.hand_in(packed(cut)) == ""
    assert desk.states() == ["waiting"]
    assert desk.hand_in(file_of(two), 71 * HOUR) == ""
    assert desk.states() == ["copy", "counted"]
    desk.ladder.tick(100 * HOUR)
    keys = rated_facts(file_of(two)).keys
    assert desk.people()[keys[winner]]["won"] == 1 and desk.people()[keys[winner]]["marks"] == {}


def test_coming_back_sets_the_time_anew(two: PeopleWorld) -> None:
    records = told(two)
    opens = [packed(records[:count]) for count in (len(records) - 9, len(records) - 6)]
    assert all(rated_facts(each).ending == "open" for each in opens)
    desk = Desk()
    assert desk.hand_in(opens[0]) == desk.hand_in(opens[1], 70 * HOUR) == ""
    desk.ladder.tick(80 * HOUR)
    assert desk.states() == ["waiting", "waiting"] and desk.ladder.next_due() == 142 * HOUR


def test_more_than_two_who_stop_count_for_nobody() -> None:
    desk = Desk()
    people = {"keys": (ANN, BEN, CAT), "names": ("A", "B", "C"), "kinds": ("human",) * 3}
    desk.made(1, **people, ending="open", places=(), left=("",) * 3, signed=(False,) * 3, owes=(1,))
    desk.ladder.tick(DAY * 9)
    assert desk.states() == ["refused"] and desk.ladder.said()["boards"] == []


def test_a_node_that_differed_loses_nothing_by_that(two: PeopleWorld) -> None:
    records = told(two)
    cut = next(packed(records[:n]) for n in range(len(records) - 2, 1, -1) if rated_facts(packed(records[:n])).owes)
    told_facts = rated_facts(cut)
    desk = Desk()
    assert desk.hand_in(cut) == ""
    gone = told_facts.owes[0]
    match, tip = bytes.fromhex(told_facts.match), bytes.fromhex(told_facts.tip)

    def word(d: bytes, signer: int, m: bytes = match) -> Differed:
        raw = encode(Mark(m, gone, tip, d))
        signature = identity(signer).sign("ack", raw).hex()
        return Differed(len(desk.book) + 1, HOUR, told_facts.match, raw.hex(), signature)

    assert "does not fit" in (desk.ladder.why_not_differed(word(b"x" * 32, 1 - gone)) or "")
    assert "another state" in (desk.ladder.why_not_differed(word(bytes.fromhex(told_facts.digest), gone)) or "")
    assert "another match" in (desk.ladder.why_not_differed(word(b"x" * 32, gone, b"m" * 32)) or "")
    desk.add(word(b"x" * 32, gone))
    desk.ladder.tick(100 * HOUR)
    assert desk.states() == ["refused"] and desk.ladder.said()["boards"] == []
    assert desk.ladder.said()["differed"] == {told_facts.keys[gone]: 1}


# ---- contradictions


def test_a_majority_that_rewrites_a_match_is_named_and_the_honest_file_counts(rewritten: Any) -> None:
    true, false = rewritten
    lie, truth = packed(transcript(false, 1)), file_of(true)
    desk = Desk()
    assert desk.hand_in(lie) == "" and desk.states() == ["waiting"], "somebody was voted out: others may answer"
    assert desk.hand_in(truth, HOUR) == ""
    desk.ladder.tick(100 * HOUR)
    assert desk.states() == ["contradicted", "counted"]
    named = desk.ladder.said()["named"]
    assert [(each["key"], each["kind"]) for each in named] == sorted([(BEN, "final"), (CAT, "final")])
    assert set(named[0]["files"]) == {name_of(lie), name_of(truth)}
    places = rated_facts(truth).places
    assert desk.ladder.said()["files"][1]["places"] == list(places)


def test_a_rewritten_file_that_comes_after_the_count_changes_nothing_but_names(rewritten: Any) -> None:
    true, false = rewritten
    desk = Desk()
    assert desk.hand_in(file_of(true)) == ""
    before = desk.ladder.said()["boards"]
    assert desk.hand_in(packed(transcript(false, 1)), 99 * DAY) == ""
    assert desk.ladder.said()["boards"] == before
    assert {each["key"] for each in desk.ladder.said()["named"]} == {BEN, CAT}
    assert desk.states() == ["counted", "contradicted"]


def test_files_that_contradict_without_a_proof_count_for_nobody_and_name_nobody(rewritten: Any) -> None:
    true, false = rewritten
    desk = Desk()
    assert desk.hand_in(packed(without_end(told(true)))) == ""
    assert desk.hand_in(packed(without_end(transcript(false, 1))), HOUR) == ""
    desk.ladder.tick(100 * HOUR)
    assert desk.states() == ["contradicted", "contradicted"] and desk.ladder.said()["named"] == []
    assert desk.ladder.said()["boards"] == []


def test_a_last_mover_with_two_ends_is_named_and_fills_no_case() -> None:
    """The second and third other end are signed by nobody who is not proven already."""
    for seed in range(20):
        world = rated_match("joban", (0, 1), f"ends {seed}")
        truth = file_of(world)
        lies = [packed(each) for each in other_ends(world)]
        if len(lies) >= 3:
            break
    desk = Desk()
    assert desk.hand_in(lies[0]) == "" and desk.hand_in(lies[1], 1) == ""
    assert "signed only by people" in desk.hand_in(lies[2], 2)
    assert desk.hand_in(truth, 3) == "", "the honest file still has its place"
    desk.ladder.tick(100 * HOUR)
    assert desk.states() == ["contradicted", "contradicted", "counted"]
    assert "frame" in {each["kind"] for each in desk.ladder.said()["named"]}
    assert len({each["key"] for each in desk.ladder.said()["named"]}) == 1


# ---- names


def test_a_removed_name_is_told_nowhere_and_the_ratings_stay() -> None:
    desk = Desk()
    desk.made(1, signed=(True, False))
    desk.ladder.tick(48 * HOUR)
    before = desk.people()
    desk.add(NameHidden(2, 50 * HOUR, BEN))
    said = desk.ladder.said()
    assert "Ben" not in str(said)
    assert {key: {**row, "name": ""} for key, row in before.items()} == {
        key: {**row, "name": ""} for key, row in desk.people().items()
    }


def test_the_same_book_gives_the_same_words_whenever_it_is_read(rewritten: Any, two: PeopleWorld) -> None:
    true, false = rewritten
    desk = Desk()
    for at, data in enumerate((packed(transcript(false, 1)), file_of(two), file_of(true))):
        desk.hand_in(data, at * HOUR)
    again = Desk()
    again.files = desk.files
    for entry in desk.book:
        again.add(entry, desk.facts[entry.file])
    for each in (desk, again):
        each.ladder.tick(100 * HOUR)
    assert again.ladder.said() == desk.ladder.said()


def test_terms_of_another_keeper_make_no_match_of_this_ladder() -> None:
    world = PeopleWorld(rated_terms("joban", (0, 1), "other", LadderClause("open", identity(5).key)), (0, 1))
    world.begin()
    world.quiet()
    assert "another ladder" in Desk().hand_in(packed(told(world, finals=False)))
