"""The guide of a first match, as a machine."""

from __future__ import annotations

from typing import Any

from kontor_games.net.api.matches.guide import READ_ON, Guide, GuideScript, GuideStep

SCRIPT = GuideScript(
    "seed",
    2,
    (
        GuideStep("Goal", "Most points win."),
        GuideStep(
            "Place", "Place a trader.", "choose", kinds=("place",), elements=("post:3:",), otherwise="First place."
        ),
        GuideStep("Again", "And another.", "choose", kinds=("place",), otherwise="Place once more."),
        GuideStep("Confirm", "Confirm.", "confirm"),
        GuideStep("Others", "They play.", "turn"),
        GuideStep("Points", "Take points.", "choose", figure="points"),
        GuideStep("Done", "Play on."),
    ),
)


def entry(kind: str, *targets: str, **figures: int) -> dict[str, Any]:
    numbers = [{"id": name, "amount": amount} for name, amount in figures.items()]
    return {"text": f"{kind} {targets[0]}", "kind": kind, "targets": list(targets), "figures": numbers}


MENU = [
    entry("hire", "stock:1"),
    entry("place", "post:3:1"),
    entry("place", "post:4:0"),
    entry("claim", "route:1", points=2),
]


def test_the_right_way_leads_to_the_end() -> None:
    guide = Guide(SCRIPT)
    assert guide.waits_for(MENU) == [], "it is to be read first"
    guide.read()
    assert guide.waits_for(MENU) == [1]
    guide.drafted()
    assert guide.waits_for(MENU) == [1, 2]
    guide.drafted()
    assert guide.why_not_commit(False) is None
    guide.committed()
    assert guide.step is not None and guide.step.title == "Others"
    guide.turn_began()
    assert guide.waits_for(MENU) == [3]
    guide.drafted()
    guide.read()
    assert guide.is_done and guide.shown(MENU) is None


def test_another_choice_is_answered_kindly_and_changes_nothing() -> None:
    guide = Guide(SCRIPT, 1)
    assert guide.why_not(MENU, "hire stock:1") == "First place."
    assert guide.why_not(MENU, "place post:3:1") is None
    assert guide.why_not(MENU, "nonsense") is None, "the rules have a reason of their own"
    assert guide.why_not_commit(False) == "First place."
    assert guide.place == 1
    assert Guide(SCRIPT).why_not(MENU, "hire stock:1") == READ_ON, "a step that explains is read first"


def test_what_is_not_on_the_menu_is_not_waited_for() -> None:
    guide = Guide(SCRIPT, 1)
    assert guide.waits_for(MENU[:1]) == [0]
    assert guide.why_not(MENU[:1], "hire stock:1") is None


def test_a_turn_in_which_nothing_is_left_to_choose_may_be_confirmed() -> None:
    guide = Guide(SCRIPT, 1)
    assert guide.why_not_commit(True) is None, "or nobody could go on"
    guide.committed()
    assert guide.step is not None and guide.step.wait == "turn"


def test_undo_goes_back_in_the_script() -> None:
    guide = Guide(SCRIPT, 1)
    guide.drafted()
    guide.drafted()
    guide.undone(1)
    assert guide.place == 2
    guide.undone(0)
    assert guide.place == 1
    guide.undone(0)
    assert guide.place == 1


def test_a_turn_that_ends_early_leads_to_the_next_turn_and_anybody_may_leave_the_guide() -> None:
    guide = Guide(SCRIPT, 2)
    guide.committed()
    assert guide.step is not None and guide.step.wait == "turn"
    guide.end()
    assert guide.is_done and guide.waits_for(MENU) == [0, 1, 2, 3]


def test_a_place_beyond_a_shorter_script_is_its_end() -> None:
    assert Guide(SCRIPT, 99).is_done
