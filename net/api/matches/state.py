"""A match as one client sees it: `State`, `Summary` and menu entries of the API."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kontor_games.engine import Action, view

from .agreement import says
from .draft import Draft
from .log_lines import LogEntry, line, log_entry
from .shown import ShownMatch
from .wording import Wording

LOG_LINES: Final = 200
# Menu entries that come with their effect. It is a number and not a time, so that a menu is the same on every machine.
# Telling an effect costs about 0.05 ms, so 80 of them cost about 4 ms; `explain` tells the rest.
MAX_TOLD: Final = 80


def summary(shown: ShownMatch) -> dict[str, Any]:
    """A `Summary`."""
    turn = shown.to_act
    return {
        "id": shown.id,
        "game": shown.game.id,
        "kind": shown.kind,
        "seats": [{"name": seat.name, "kind": seat.kind, "you": seat.you} for seat in shown.seats],
        "to_act": turn if turn is not None and turn >= 0 else None,
        "your_turn": turn in shown.mine,
        "ply": shown.ply,
        "status": shown.status,
        "result": shown.result_dict,
        "updated": shown.updated,
    }


def change_of(shown: ShownMatch) -> dict[str, Any]:
    """Where a match stands, for the event that says that it changed."""
    return {"id": shown.id, "ply": shown.ply, "to_act": shown.to_act, "status": shown.status}


def state_of(shown: ShownMatch, seat: int | None, wording: Wording) -> dict[str, Any]:
    """The whole `State` for a seat, None for a spectator."""
    draft = shown.draft
    drafts = seat is not None and draft is not None and draft.author in (None, seat)
    own = draft if drafts else None
    first = max(0, len(shown.log) - LOG_LINES)
    is_live = shown.status in ("playing", "waiting") and not shown.is_committed
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
                "you": facts.you,
                "peer": facts.peer,
                "gone": number in shown.gone,
            }
            for number, facts in enumerate(shown.seats)
        ],
        "seat": seat,
        "to_act": shown.to_act,
        "your_turn": seat is not None and is_live and shown.to_act == seat and seat not in shown.gone,
        "view": _view(shown, own, seat),
        "menu": menu_of(shown, own, seat, wording) if own is not None and seat is not None and is_live else [],
        "draft": draft_of(own),
        "log": [line(wording, shown.game.id, shown.names, entry) for entry in shown.log[first:]],
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


def menu_of(shown: ShownMatch, draft: Draft, seat: int, wording: Wording) -> list[dict[str, Any]]:
    """What the seat may do now. The first entries come with their effects; `explain` tells those of the rest."""
    if draft.author is None and seat in shown.gone:
        return []
    actions = draft.menu(seat)
    return [_menu_entry(shown, draft, action, wording, number < MAX_TOLD) for number, action in enumerate(actions)]


def _menu_entry(shown: ShownMatch, draft: Draft, action: Action, wording: Wording, worded: bool) -> dict[str, Any]:
    game = shown.game
    after, ply = draft.try_out(action)
    text = ply.text or ""
    effect = [line(wording, game.id, shown.names, log_entry(ply.number, action, text, ply.events))] if worded else None
    return {
        "text": text,
        "target": game.target(draft.state, action),
        "label": wording.label(game.id, shown.names, _action_dict(action)) or _sentence(effect) or text,
        "effect": effect,
        "reveals": after.desk.want is not None,
    }


def explain(shown: ShownMatch, draft: Draft, seat: int, text: str, wording: Wording) -> dict[str, Any]:
    """What this action would do; raises its reason if it is not legal."""
    action = draft.read(seat, text)
    _, ply = draft.try_out(action)
    entry = log_entry(ply.number, action, ply.text, ply.events)
    return {"legal": True, "reason": None, "events": [line(wording, shown.game.id, shown.names, entry)]}


def lines_since(shown: ShownMatch, ply: int, wording: Wording) -> list[dict[str, Any]]:
    """The log from this ply on."""
    new: list[LogEntry] = []
    for entry in reversed(shown.log):
        if entry.ply < ply:
            break
        new.append(entry)
    return [line(wording, shown.game.id, shown.names, entry) for entry in reversed(new)]


def _sentence(effect: list[dict[str, Any]] | None) -> str:
    return str(effect[0]["say"]) if effect else ""


def _action_dict(action: Action) -> dict[str, Any]:
    fields = {name: msgspec.to_builtins(getattr(action, name)) for name in action.__struct_fields__}
    return {"action": str(action.__struct_config__.tag), **fields}
