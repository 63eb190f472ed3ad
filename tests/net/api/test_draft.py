"""Drafts of real matches: choices as steps, what follows by itself, undo, and what programs may say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.engine import is_forced
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.api.matches.draft import Draft, restored
from kontor_games.net.api.matches.shown_local import ShownLocalMatch
from kontor_games.net.api.matches.state import draft_of, state_of
from kontor_games.net.api.matches.wording import PlainWording
from kontor_games.net.record.local_match import RecordedMatch

WORDS = PlainWording()
PLIES = {"hansa": 120, "joban": 90, "osaka": 90, "yokohama": 120}
each_game = pytest.mark.parametrize("game", engine.game_ids())


@contextmanager
def table(tmp_path: Path, game: str, kind: str = "person", seed: int = 7) -> Iterator[ShownLocalMatch]:
    """A match of three whose seats are all of one kind."""
    seats = [(f"Player {number}", kind) for number in range(3)]
    path = tmp_path / f"{game}-{seed}.kontor"
    match = RecordedMatch.create(path, engine.load(game), {}, seats, bytes(31) + bytes([seed]))
    shown = ShownLocalMatch(match, lambda _: None, lambda job: job())
    shown.go_on()
    try:
        yield shown
    finally:
        match.close()


def turns(shown: ShownLocalMatch, seed: str) -> Iterator[tuple[Draft, int, Any]]:
    """Play at random; before each step: the draft, the seat and the chosen entry of its menu."""
    rng = Stream("draft", seed)
    while shown.to_act is not None and shown.ply < PLIES.get(shown.game.id, 90):
        seat = shown.to_act
        menu = state_of(shown, seat, WORDS)["menu"]
        if menu:
            entry = menu[rng.below(len(menu))]
            yield shown.draft, seat, entry
            shown.draft.add(seat, entry["text"])
        if shown.draft.must_commit:
            shown.commit()


@each_game
def test_an_entry_of_the_menu_is_a_step_and_what_is_forced_follows(game: str, tmp_path: Path) -> None:
    with table(tmp_path, game) as shown:
        followed = 0
        for draft, seat, entry in turns(shown, game):
            before = list(draft.steps)
            draft.add(seat, entry["text"])
            new = draft.steps[len(before) :]
            assert draft.steps[: len(before)] == before
            assert new[0].text == entry["text"] and not new[0].forced and all(step.forced for step in new[1:])
            assert draft.must_commit or not is_forced(draft.choices(seat))
            followed += len(new) - 1
            assert draft.undo() and draft.steps == before and draft.can_redo
        # What Osaka and Joban ask after a choice belongs to it, so that hardly anything follows there.
        assert followed or game in ("joban", "osaka"), "nothing ever followed by itself"


@each_game
def test_undo_goes_back_to_a_step_that_was_chosen(game: str, tmp_path: Path) -> None:
    with table(tmp_path, game) as shown:
        for draft, seat, entry in turns(shown, game):
            draft.add(seat, entry["text"])
            steps = list(draft.steps)
            chosen = [place for place, step in enumerate(steps) if not step.forced]
            for to in range(len(steps)):
                assert draft.undo(to)
                place = max([place for place in chosen if place <= to], default=chosen[0])
                assert draft.steps == steps[:place]
                while draft.redo():
                    pass
                assert [step.text for step in draft.steps] == [step.text for step in steps]
            assert not draft.undo(len(steps))
            draft.undo()


@each_game
def test_a_draft_on_the_disk_has_the_same_steps_again(game: str, tmp_path: Path) -> None:
    with table(tmp_path, game) as shown:
        for draft, _, _ in turns(shown, game):
            again = restored(shown, shown.state, draft.actions)
            assert draft_of(shown, again, WORDS) == {**draft_of(shown, draft, WORDS), "can_redo": False}


@each_game
def test_to_name_what_happened_by_itself_changes_nothing(game: str, tmp_path: Path) -> None:
    """A program may send every action by itself, forced ones too, unless the same words mean something new by now."""
    with table(tmp_path, game) as shown:
        rng, named = Stream("named", game), 0
        while shown.to_act is not None and shown.ply < 90:
            seat, draft, state = shown.to_act, shown.draft, shown.state
            known = dict(shown.known(seat))
            draft.begin(seat)
            while engine.to_act(shown.game, state) == seat:
                actions = engine.allowed(shown.game, state, known)
                action = actions[rng.below(len(actions))]
                text = shown.game.notation.say(state, action)
                if draft.state != state:
                    if any(text == entry["text"].split(";")[0] for entry in state_of(shown, seat, WORDS)["menu"]):
                        break
                    named += 1
                draft.add(seat, text)
                for slot, _ in shown.game.opens(state, action):
                    known.pop(slot)
                state, _ = engine.advance(shown.game, state, action)
            while not draft.must_commit:
                draft.add(seat, state_of(shown, seat, WORDS)["menu"][0]["text"])
            shown.commit()
        assert named or game == "osaka", "nothing was named that had happened by itself"


@each_game
def test_nothing_follows_by_itself_for_a_bot(game: str, tmp_path: Path) -> None:
    with table(tmp_path, game, "greedy") as shown:
        for draft, _, _ in turns(shown, game):
            assert not any(step.forced and len(step.among) != 1 for step in draft.steps)
            assert draft.steps == [] or draft.can_undo or all(step.forced for step in draft.steps)


def test_several_actions_are_drafted_all_or_none(tmp_path: Path) -> None:
    with table(tmp_path, "hansa") as shown:
        seat = shown.to_act
        assert seat is not None
        shown.draft.begin(seat)
        before = list(shown.draft.steps)
        place = next(entry for entry in state_of(shown, seat, WORDS)["menu"] if entry["text"].startswith("place"))
        with pytest.raises(IllegalAction):
            shown.draft.add(seat, f"{place['text']}; {place['text'].partition(';')[0]}")
        assert shown.draft.steps == before
