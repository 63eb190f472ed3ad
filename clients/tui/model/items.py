"""What the menu offers at this moment: the game's actions, and what the screen itself can do."""

from __future__ import annotations

from typing import Any

from kontor_games.clients.text.choice_groups import groups_of, reads_on

from .screen_menu import MenuItem
from .shown_match import ScreenMatch, State

FINAL = "It is final then."
TURN = "The turn so far"
CONTINUE = "Confirm the draft so far"


def items_of(session: ScreenMatch) -> list[MenuItem]:
    """All of it, in the order in which it is numbered."""
    state = session.state
    if state is None or session.curtain is not None:
        return []
    if state["status"] == "over":
        return [
            *_again(session, state),
            MenuItem("Show the result", command="result", effect="Points by category, and what the file proves."),
            MenuItem("Look at the board", command="board", effect="The board as it was at the end."),
            MenuItem("Leave", command="quit", effect="The match stays among the replays."),
        ]
    items = _waiting(session, state)
    if session.is_my_turn and reads_on(state):
        return [*items, MenuItem("Read on", command="read on", effect="The guide goes on."), *_alone(state)]
    if session.is_my_turn:
        items = [*_drafting(state), *items] if state["draft"]["must_commit"] else [*items, *_acts(state)]
        items += _alone(state)
    return items


def _again(session: ScreenMatch, state: State) -> list[MenuItem]:
    """Another match with the same people, for those who played."""
    if session.watching or not any(seat["you"] for seat in state["seats"]):
        return []
    rematch = state.get("rematch")
    effect = "The same people, options and bots; seats rotate by one."
    if rematch is not None and not rematch["mine"]:
        effect = f"{', '.join(rematch['by'])} would play again. {effect}"
    return [MenuItem("Play again", command="rematch", effect=effect)]


def _alone(state: State) -> list[MenuItem]:
    if state.get("guide") is None:
        return []
    effect = "The match goes on as any other."
    return [MenuItem("Go on without the guide", command="alone", effect=effect, kind="The guide")]


def _acts(state: State) -> list[MenuItem]:
    acts = [_act(entry, title) for title, entries in groups_of(state) for entry in entries]
    if state["draft"]["may_commit"]:
        effect = "It is final then; the rest of the turn comes after it."
        acts.append(MenuItem(CONTINUE, command="commit", effect=state["draft"]["ask"] or effect, kind=TURN))
    return [*acts, *_undo(state)]


def _drafting(state: State) -> list[MenuItem]:
    items = [MenuItem("Confirm the turn", command="commit", effect=state["draft"]["ask"] or FINAL), *_undo(state, "")]
    if sum(not step["forced"] for step in state["draft"]["steps"]) > 1:
        items.append(MenuItem("Begin the turn again", command="discard", effect="Everything drafted is taken back."))
    return items


def _undo(state: State, kind: str = TURN) -> list[MenuItem]:
    chosen = [step for step in state["draft"]["steps"] if not step["forced"]]
    if not chosen:
        return []
    return [MenuItem("Undo the last step", command="undo", effect=f"Taken back: {chosen[-1]['say']}", kind=kind)]


def _act(entry: dict[str, Any], title: str) -> MenuItem:
    effect = None if entry["effect"] is None else " ".join(line["say"] for line in entry["effect"] if line["say"])
    return MenuItem(
        label=entry["phrase"],
        text=entry["text"],
        effect=effect,
        reveals=entry["reveals"],
        target=entry["targets"][0],
        kind=title,
    )


def _waiting(session: ScreenMatch, state: State) -> list[MenuItem]:
    """Somebody is missing: wait, or go on without them."""
    waiting = state["waiting"]
    if waiting is None or session.watching:
        return []
    names = missing_names(state)
    effect = "The match goes on by itself when they are back."
    if waiting.get("grace"):
        effect += f" In {session.grace} s one can also go on without them, if all who remain agree."
    items = [MenuItem(f"Wait for {names}", command="wait", effect=effect)]
    if waiting["can_vote"]:
        items.append(
            MenuItem(
                f"Go on without {names}",
                command="vote",
                effect="If all who remain agree, a stand-in plays in their place. «Wait» takes your vote back.",
            )
        )
    return items


def missing_names(state: State) -> str:
    """Who is missing, by the names of their seats."""
    peers = state["waiting"]["for"] if state["waiting"] else []
    return ", ".join(peer_name(state, peer) for peer in peers)


def peer_name(state: State, peer: int) -> str:
    """Who plays at a peer."""
    return " and ".join(seat["name"] for seat in state["seats"] if seat["peer"] == peer) or f"peer {peer + 1}"
