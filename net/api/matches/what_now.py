"""The what-now line: who must do what, in a sentence for the reader; and what is asked before a turn is ended early."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import CHANCE

from .draft import Draft, DraftStep
from .shown import ShownMatch
from .wording import Wording


def now_of(shown: ShownMatch, draft: Draft | None, seat: int | None, wording: Wording) -> dict[str, str]:
    """What is asked, and of whom; `draft` is the reader's own."""
    facts, asked = _asked(shown, draft, seat)
    return {"key": str(facts["now"]), "text": wording.now(shown.audience(seat), facts, asked)}


def _asked(shown: ShownMatch, draft: Draft | None, seat: int | None) -> tuple[dict[str, Any], int | None]:
    """The word for it and its values, and the seat to act."""
    turn = shown.to_act
    if turn is None or shown.status in ("over", "stopped"):
        return {"now": "stopped" if shown.status == "stopped" else "over"}, None
    if shown.state is None:
        return {"now": "setup"}, None
    if shown.is_committed:
        return {"now": "sending"}, None
    is_asked = draft is not None and turn == seat
    if shown.status == "waiting" and not is_asked:
        return {"now": "waiting", "who": list(shown.missing_names)}, turn
    if turn == CHANCE:
        return {"now": "chance"}, None
    if draft is None or not is_asked:
        return shown.game.offer.now(shown.state), turn
    if draft.must_commit:
        return {"now": "confirm_reveal" if draft.turn == CHANCE else "confirm"}, seat
    return shown.game.offer.now(draft.state), seat


def ask_of(shown: ShownMatch, draft: Draft, wording: Wording) -> str | None:
    """What to ask before the turn is ended with something left; None if nothing is given up."""
    chosen = [step for step in draft.steps if not step.forced]
    if not chosen or not draft.must_commit:
        return None
    kind, others = _instead(shown, chosen[-1])
    if not others:
        return None
    before = chosen[-1].plies[0].before
    return wording.ask(shown.audience(draft.author), kind, shown.game.offer.now(before))


def _instead(shown: ShownMatch, step: DraftStep) -> tuple[str, bool]:
    """The kind of a step, and whether something of another of the game's kinds could have been done in its place."""
    offer, before = shown.game.offer, step.plies[0].before
    kind = offer.kind(before, step.actions)
    others = {offer.kind(before, choice.actions) for choice in step.among} - {kind}
    return kind, bool(others & set(offer.kinds))
