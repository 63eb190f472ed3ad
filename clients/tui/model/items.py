"""What the menu offers at this moment: the game's actions, and what the screen itself can do."""

from __future__ import annotations

from typing import Any

from .labels import label_of
from .menu import MenuItem
from .shown_match import ScreenMatch, State

COMMIT = MenuItem("Confirm the turn", command="commit", effect="It is final then.")
CONTINUE = "Confirm the draft so far"


def items_of(session: ScreenMatch) -> list[MenuItem]:
    """All of it, in the order in which it is numbered."""
    state = session.state
    if state is None or session.curtain is not None:
        return []
    if state["status"] == "over":
        return [
            MenuItem("Show the result", command="result", effect="Points by category."),
            MenuItem("Look at the board", command="board", effect="The board as it was at the end."),
            MenuItem("Leave", command="quit", effect="The match stays among the replays."),
        ]
    items = _waiting(session, state)
    if session.is_my_turn:
        items = [*_drafting(state), *items] if state["draft"]["must_commit"] else [*_acts(session, state), *items]
    return items


def _acts(session: ScreenMatch, state: State) -> list[MenuItem]:
    name = session.names[session.at] if session.at is not None else ""
    acts = [_act(entry, name, state["view"]) for entry in state["menu"]]
    if state["draft"]["may_commit"]:
        acts.append(
            MenuItem(CONTINUE, command="commit", effect="It is final then; the rest of the turn comes after it.")
        )
    return [*acts, *_undo(state)]


def _drafting(state: State) -> list[MenuItem]:
    items = [COMMIT, *_undo(state)]
    if sum(not step["forced"] for step in state["draft"]["steps"]) > 1:
        items.append(MenuItem("Begin the turn again", command="discard", effect="Everything drafted is taken back."))
    return items


def _undo(state: State) -> list[MenuItem]:
    chosen = [step for step in state["draft"]["steps"] if not step["forced"]]
    if not chosen:
        return []
    return [MenuItem("Undo the last step", command="undo", effect=f"«{chosen[-1]['text']}» is taken back.")]


def _act(entry: dict[str, Any], name: str, view: dict[str, Any]) -> MenuItem:
    effect = None if entry["effect"] is None else " ".join(line["say"] for line in entry["effect"] if line["say"])
    return MenuItem(
        label=_short(entry["phrase"] if entry["phrase"] != entry["text"] else label_of(view, entry["text"]), name),
        text=entry["text"],
        effect=effect,
        reveals=entry["reveals"],
        target=entry["targets"][0],
    )


def _short(label: str, name: str) -> str:
    """A label that is the sentence of what would happen, without one's own name and full stop."""
    if name and label.startswith(f"{name} "):
        label = label[len(name) + 1 :]
        label = label[:1].upper() + label[1:]
    return label.removesuffix(".")


def _waiting(session: ScreenMatch, state: State) -> list[MenuItem]:
    """Somebody is missing: wait, or go on without them."""
    waiting = state["waiting"]
    if waiting is None or session.watching:
        return []
    names = missing_names(state)
    items = [MenuItem(f"Wait for {names}", command="wait", effect="The match goes on by itself when they are back.")]
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
