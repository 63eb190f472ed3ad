"""The menu of the seat to act: kinds of action, and choices with their words, elements and figures."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from kontor_games.engine import Choice, GameState, Known
from kontor_games.engine.core.offer import Path
from kontor_games.net.ledger.facts import Ply

from .draft import BETWEEN, Draft
from .log_lines import line, log_entry
from .shown import ShownMatch
from .wording import Audience, Wording, worded

# Menu entries that come with their effect. It is a number and not a time, so that a menu is the same on every machine.
# Telling an effect costs about 0.05 ms, so 80 of them cost about 4 ms; `explain` tells the rest.
MAX_TOLD: Final = 80


def menu_of(shown: ShownMatch, draft: Draft, seat: int, wording: Wording) -> list[dict[str, Any]]:
    """What the seat may do now. The first entries come with their effects; `explain` tells those of the rest."""
    if draft.author is None and seat in shown.gone:
        return []
    if draft.menu is None or draft.menu[0] is not wording:
        found, known = draft.choices(seat), draft.known(seat)
        to = shown.audience(seat)
        told = [_entry(shown, draft, choice, known, wording, to, n < MAX_TOLD) for n, choice in enumerate(found)]
        draft.menu = wording, told
    return draft.menu[1]


def kinds_of(
    shown: ShownMatch, draft: Draft, seat: int, menu: list[dict[str, Any]], wording: Wording
) -> list[dict[str, Any]]:
    """The buttons of the game's kinds of action, and of those steps that there are."""
    if not menu:
        return []
    offer = shown.game.offer
    counts = Counter(entry["kind"] for entry in menu)
    known, to = draft.known(seat), shown.audience(seat)
    return [
        {
            "id": kind,
            "label": wording.kind(shown.game.id, kind),
            "count": counts[kind],
            "why": None if counts[kind] else str(worded(wording, to, offer.why_none(draft.state, kind, known) or "")),
        }
        for kind in (*offer.kinds, *(step for step in offer.steps if counts[step]))
    ]


def explain(shown: ShownMatch, draft: Draft, seat: int, text: str, wording: Wording) -> dict[str, Any]:
    """What these actions would do; raises the reason if they are not legal."""
    _, plies = draft.try_out(draft.read(seat, text))
    return {"legal": True, "reason": None, "events": told(shown, plies, wording, shown.audience(seat))}


def told(shown: ShownMatch, plies: list[Ply], wording: Wording, to: Audience) -> list[dict[str, Any]]:
    """The lines of plies that would come next."""
    last, lines = shown.log[-1] if shown.log else None, []
    for ply in plies:
        last = log_entry(shown.game, ply, last)
        lines.append(line(wording, to, last))
    return lines


def phrase_of(
    shown: ShownMatch, state: GameState, path: Path, known: Known, wording: Wording, to: Audience
) -> str | None:
    """What a choice does, None if there are no words for it."""
    tags = [str(action.__struct_config__.tag) for action in path]
    return wording.phrase(to, shown.game.offer.details(state, path, known), tags)


def _entry(
    shown: ShownMatch, draft: Draft, choice: Choice, known: Known, wording: Wording, to: Audience, is_told: bool
) -> dict[str, Any]:
    game, state, path = shown.game, draft.state, choice.actions
    offer = game.offer
    plies = draft.plies_of(choice)
    text = BETWEEN.join(ply.text or "" for ply in plies)
    effect = told(shown, plies, wording, to) if is_told else None
    phrase = phrase_of(shown, state, path, known, wording, to)
    figures = offer.foresee(state, path, known)
    return {
        "text": text,
        "phrase": phrase or " ".join(each["say"] for each in effect or () if each["say"]) or text,
        "kind": offer.kind(state, path),
        "targets": offer.targets(state, path),
        "figures": [_figure(wording, to, figure) for figure in figures],
        "effect": effect,
        "reveals": choice.after.desk.want is not None,
    }


def _figure(wording: Wording, to: Audience, figure: Any) -> dict[str, Any]:
    facts = {name: getattr(figure, name) for name in figure.__struct_fields__}
    return {**facts, "text": wording.figure(to, facts)}
