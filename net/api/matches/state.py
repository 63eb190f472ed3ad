"""A match as one client sees it: `State`, `Summary` and menu entries of the API."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kontor_games.engine import Action, view

from .agreement import says
from .course import Course
from .draft import Draft
from .log_lines import Said, line, said
from .wording import Wording

LOG_LINES: Final = 200
# Menu entries that come with their effect. It is a number and not a time, so that a menu is the same on every machine.
# Telling an effect costs about 0.05 ms, so 80 of them cost about 4 ms; `explain` tells the rest.
MAX_TOLD: Final = 80


def summary(course: Course) -> dict[str, Any]:
    """A `Summary`."""
    turn = course.to_act
    return {
        "id": course.id,
        "game": course.game.id,
        "kind": course.kind,
        "seats": [{"name": seat.name, "kind": seat.kind, "you": seat.you} for seat in course.seats],
        "to_act": turn if turn is not None and turn >= 0 else None,
        "your_turn": turn in course.mine,
        "ply": course.ply,
        "status": course.status,
        "result": course.result_dict,
        "updated": course.updated,
    }


def change_of(course: Course) -> dict[str, Any]:
    """Where a match stands, for the event that says that it changed."""
    return {"id": course.id, "ply": course.ply, "to_act": course.to_act, "status": course.status}


def state_of(course: Course, seat: int | None, wording: Wording) -> dict[str, Any]:
    """The whole `State` for a seat, None for a spectator."""
    draft = course.draft
    drafts = seat is not None and draft is not None and draft.author in (None, seat)
    shown = draft if drafts else None
    first = max(0, len(course.log) - LOG_LINES)
    is_live = course.status in ("playing", "waiting") and not course.is_committed
    return {
        "id": course.id,
        "game": course.game.id,
        "kind": course.kind,
        "options": course.options,
        "ply": course.ply,
        "digest": course.digest,
        "status": course.status,
        "result": course.result_dict,
        "seats": [
            {
                "name": facts.name,
                "mark": facts.mark,
                "kind": facts.kind,
                "you": facts.you,
                "peer": facts.peer,
                "gone": number in course.gone,
            }
            for number, facts in enumerate(course.seats)
        ],
        "seat": seat,
        "to_act": course.to_act,
        "your_turn": seat is not None and is_live and course.to_act == seat and seat not in course.gone,
        "view": _view(course, shown, seat),
        "menu": menu_of(course, shown, seat, wording) if shown is not None and seat is not None and is_live else [],
        "draft": draft_of(shown),
        "log": [line(wording, course.game.id, course.names, entry) for entry in course.log[first:]],
        "log_from": first,
        "file": None if course.path is None else course.path.name,
        "says": [] if course.agreed is None else says(wording, course.agreed),
        **course.extra(),
    }


def _view(course: Course, draft: Draft | None, seat: int | None) -> dict[str, Any] | None:
    if course.state is None:
        return None
    if draft is None:
        return view(course.game, course.state, seat, course.known(seat))
    return view(course.game, draft.state, seat, draft.known(seat))


def draft_of(draft: Draft | None) -> dict[str, Any]:
    """What is drafted; another seat's draft is nobody's business."""
    if draft is None:
        return {"texts": [], "can_undo": False, "can_redo": False, "must_commit": False}
    return {
        "texts": draft.texts,
        "can_undo": bool(draft.plies),
        "can_redo": draft.can_redo,
        "must_commit": draft.must_commit,
    }


def menu_of(course: Course, draft: Draft, seat: int, wording: Wording) -> list[dict[str, Any]]:
    """What the seat may do now. The first entries come with their effects; `explain` tells those of the rest."""
    if draft.author is None and seat in course.gone:
        return []
    actions = draft.menu(seat)
    return [_menu_entry(course, draft, action, wording, number < MAX_TOLD) for number, action in enumerate(actions)]


def _menu_entry(course: Course, draft: Draft, action: Action, wording: Wording, worded: bool) -> dict[str, Any]:
    game = course.game
    after, ply = draft.try_out(action)
    text = ply.text or ""
    effect = [line(wording, game.id, course.names, said(ply.number, action, text, ply.events))] if worded else None
    return {
        "text": text,
        "target": game.target(draft.state, action),
        "label": wording.label(game.id, course.names, _action_dict(action)) or _told(effect) or text,
        "effect": effect,
        "reveals": after.desk.want is not None,
    }


def explain(course: Course, draft: Draft, seat: int, text: str, wording: Wording) -> dict[str, Any]:
    """What this action would do; raises its reason if it is not legal."""
    action = draft.read(seat, text)
    _, ply = draft.try_out(action)
    entry = said(ply.number, action, ply.text, ply.events)
    return {"legal": True, "reason": None, "events": [line(wording, course.game.id, course.names, entry)]}


def lines_since(course: Course, ply: int, wording: Wording) -> list[dict[str, Any]]:
    """The log from this ply on."""
    new: list[Said] = []
    for entry in reversed(course.log):
        if entry.ply < ply:
            break
        new.append(entry)
    return [line(wording, course.game.id, course.names, entry) for entry in reversed(new)]


def _told(effect: list[dict[str, Any]] | None) -> str:
    return str(effect[0]["say"]) if effect else ""


def _action_dict(action: Action) -> dict[str, Any]:
    fields = {name: msgspec.to_builtins(getattr(action, name)) for name in action.__struct_fields__}
    return {"action": str(action.__struct_config__.tag), **fields}
