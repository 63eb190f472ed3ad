"""A match as one client sees it: `State` and `Summary` of the API."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from kontor_games.engine import view

from .agreement import says
from .draft import Draft
from .hints import why_no_hints
from .log_lines import LogEntry, line
from .menu import kinds_of, menu_of, phrase_of, told
from .shown import ShownMatch
from .what_now import ask_of, now_of
from .wording import Wording

LOG_LINES: Final = 200


def summary(shown: ShownMatch, yours: Collection[int] | None = None) -> dict[str, Any]:
    """A `Summary`; `yours` are the seats of whoever looks, left out: all that people at this node play."""
    yours = shown.mine if yours is None else yours
    turn = shown.to_act
    return {
        "id": shown.id,
        "game": shown.game.id,
        "kind": shown.kind,
        "seats": [
            {"name": seat.name, "kind": seat.kind, "you": number in yours} for number, seat in enumerate(shown.seats)
        ],
        "to_act": turn if turn is not None and turn >= 0 else None,
        "your_turn": turn in yours,
        "ply": shown.ply,
        "status": shown.status,
        "result": shown.result_dict,
        "updated": shown.updated,
    }


def change_of(shown: ShownMatch) -> dict[str, Any]:
    """Where a match stands, for the event that says that it changed."""
    return {"id": shown.id, "ply": shown.ply, "to_act": shown.to_act, "status": shown.status}


def state_of(
    shown: ShownMatch, seat: int | None, wording: Wording, yours: Collection[int] | None = None
) -> dict[str, Any]:
    """The whole `State` for a seat, None for a spectator; `yours` as in `summary`."""
    yours = shown.mine if yours is None else yours
    draft = shown.draft
    drafts = seat is not None and draft is not None and draft.author in (None, seat)
    own = draft if drafts else None
    first = max(0, len(shown.log) - LOG_LINES)
    is_live = shown.status in ("playing", "waiting") and not shown.is_committed
    menu: list[dict[str, Any]] = []
    kinds: list[dict[str, Any]] = []
    if own is not None and seat is not None and is_live and shown.to_act == seat:
        own.begin(seat)
        menu = menu_of(shown, own, seat, wording)
        kinds = kinds_of(shown, own, seat, menu, wording)
    to = shown.audience(seat)
    return {
        "id": shown.id,
        "game": shown.game.id,
        "kind": shown.kind,
        "options": shown.options,
        "ply": shown.ply,
        "digest": shown.digest,
        "status": shown.status,
        "result": shown.result_dict,
        "seats": [
            {
                "name": facts.name,
                "mark": facts.mark,
                "kind": facts.kind,
                "you": number in yours,
                "guest": facts.guest,
                "peer": facts.peer,
                "gone": number in shown.gone,
            }
            for number, facts in enumerate(shown.seats)
        ],
        "seat": seat,
        "to_act": shown.to_act,
        "your_turn": seat is not None and is_live and shown.to_act == seat and seat not in shown.gone,
        "now": now_of(shown, own, seat, wording),
        "view": _view(shown, own, seat),
        "points": _points(shown, own),
        "kinds": kinds,
        "menu": menu,
        "guide": None if shown.guided is None or seat is None else shown.guided.shown(menu),
        "hints": seat is not None and why_no_hints(shown, yours) is None,
        "draft": draft_of(shown, own, wording),
        "log": [line(wording, to, entry) for entry in shown.log[first:]],
        "log_from": first,
        "file": None if shown.path is None else shown.path.name,
        "says": [] if shown.agreed is None else says(wording, shown.agreed),
        **shown.extra(),
    }


def _view(shown: ShownMatch, draft: Draft | None, seat: int | None) -> dict[str, Any] | None:
    if shown.state is None:
        return None
    if draft is None:
        return view(shown.game, shown.state, seat, shown.known(seat))
    return view(shown.game, draft.state, seat, draft.known(seat))


def _points(shown: ShownMatch, draft: Draft | None) -> list[int]:
    """Points of every seat so far, in the position that the view shows."""
    state = shown.state if draft is None else draft.state
    return [] if state is None else list(shown.game.points(state))


def draft_of(shown: ShownMatch, draft: Draft | None, wording: Wording) -> dict[str, Any]:
    """What is drafted; another seat's draft is nobody's business."""
    if draft is None or not draft.steps:
        return {
            "steps": [],
            "texts": [],
            "can_undo": False,
            "can_redo": draft is not None and draft.can_redo,
            "must_commit": False,
            "may_commit": False,
            "ask": None,
        }
    to = shown.audience(draft.author)
    lines = iter(told(shown, draft.plies, wording, to))
    steps = [
        {
            "text": step.text,
            "say": " ".join(said for _ in step.plies if (said := next(lines)["say"]))
            or phrase_of(shown, step.plies[0].before, step.actions, draft.known(draft.author), wording, to)
            or step.text,
            "forced": step.forced,
            "reveals": step.reveals,
        }
        for step in draft.steps
    ]
    return {
        "steps": steps,
        "texts": draft.texts,
        "can_undo": draft.can_undo,
        "can_redo": draft.can_redo,
        "must_commit": draft.must_commit,
        "may_commit": draft.may_commit,
        "ask": ask_of(shown, draft, wording),
    }


def lines_since(
    shown: ShownMatch, ply: int, wording: Wording, yours: Sequence[int] | None = None
) -> list[dict[str, Any]]:
    """The log from this ply on, for the one person who plays it here; `yours` as in `summary`."""
    yours = shown.mine if yours is None else yours
    new: list[LogEntry] = []
    for entry in reversed(shown.log):
        if entry.ply < ply:
            break
        new.append(entry)
    to = shown.audience(yours[0] if len(yours) == 1 else None)
    return [line(wording, to, entry) for entry in reversed(new)]
