"""A match as plain data: views, menus, drafts and a log, for a client that knows no engine.

`LocalPlay` works over any table that looks like a local one; `net/net_play.py` puts a network match behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from engine import Action, Game, GameState, Known, KontorError, advance, event_dict, result_dict, to_act, view

from .local_match import PERSON, load_draft, menu, save_draft
from .play_table import Bot, PlayTable
from .replayer import Ply


class LocalPlay:
    """The seats of one local table: persons through drafts, bots and chance through `advance`."""

    def __init__(self, table: PlayTable, bots: Mapping[int, Bot]) -> None:
        self._table = table
        self._bots = bots
        self._draft: list[Ply] = []
        self._state = table.state
        for action in load_draft(table):
            self._extend(action)

    def info(self) -> dict[str, Any]:
        """What does not change during the match."""
        table = self._table
        return {
            "game": table.game.id,
            "title": table.game.title,
            "match": table.match_id.hex(),
            "path": str(table.path),
            "options": dict(table.terms.options),
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in table.terms.seats],
            "forms": sorted(table.game.notation.forms.values()),
        }

    def status(self) -> dict[str, Any]:
        """Who is to act now (`person`, `auto` or `over`), and the draft so far."""
        turn = to_act(self._table.game, self._state)
        if self._draft:
            seat: int | None = self._author
            kind = "person"
        else:
            seat = turn if turn is not None and turn >= 0 else None
            kind = "over" if turn is None else "person" if self._is_person(turn) else "auto"
        result = self._table.result
        return {
            "ply": self._table.ply,
            "seat": seat,
            "kind": kind,
            "draft": [said["text"] for said in said_plies(self._table.game, self._draft)],
            "closed": bool(self._draft) and turn != self._author,
            "result": None if result is None else result_dict(result),
        }

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat sees, the draft included."""
        return view(self._table.game, self._state, seat, self._known(seat))

    def menu(self) -> list[dict[str, Any]]:
        """The legal actions of the person to act, numbered from 1."""
        if self.status()["kind"] != "person" or self.status()["closed"]:
            return []
        game = self._table.game
        return [
            {"n": n, "text": game.notation.say(self._state, action), "target": game.target(self._state, action)}
            for n, action in enumerate(menu(self._table, self._state, self._opened()), 1)
        ]

    def draft(self, text: str) -> str | None:
        """Add what was typed (menu numbers or notation, several parted by , or ;) to the draft; or say why not."""
        before = list(self._draft)
        parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
        reason = None if parts else "nothing was typed"
        for part in parts:
            reason = self._draft_one(part)
            if reason:
                reason = reason if len(parts) == 1 else f"{part}: {reason}"
                self._reset(ply.action for ply in before)
                break
        self._store()
        return reason

    def undo(self) -> bool:
        """Take back the last drafted action."""
        if not self._draft:
            return False
        self._reset([ply.action for ply in self._draft[:-1]])
        self._store()
        return True

    def commit(self) -> list[dict[str, Any]]:
        """Make the draft a frame of the match; from here on it cannot be taken back."""
        actions = [ply.action for ply in self._draft if isinstance(ply.action, Action)]
        plies = self._table.commit(actions)
        self._reset(())
        self._store()
        return said_plies(self._table.game, plies)

    def advance(self) -> list[dict[str, Any]]:
        """One step that no person decides: chance, a stand-in, or a bot's turn; empty if a person must act."""
        if self._draft:
            return []
        plies = self._table.follow()
        turn = self._table.turn
        if not plies and turn is not None and not self._is_person(turn):
            table = self._table
            plies = table.commit(
                bot_turn(self._bots[turn], table.game, table.state, table.known(turn), turn, table.ply)
            )
        self._reset(())
        return said_plies(self._table.game, plies)

    def log(self) -> list[dict[str, Any]]:
        """Everything that has happened so far."""
        return said_plies(self._table.game, self._table.history)

    def close(self) -> None:
        """Let go of the file; everything is saved already."""
        self._table.close()

    @property
    def _author(self) -> int:
        action = self._draft[0].action
        assert isinstance(action, Action)
        return action.seat

    def _is_person(self, turn: int) -> bool:
        table = self._table
        return turn >= 0 and turn not in table.state.desk.gone and table.terms.seats[turn].kind == PERSON

    def _draft_one(self, text: str) -> str | None:
        game = self._table.game
        status = self.status()
        if status["kind"] != "person":
            return "it is nobody's turn at this screen"
        if status["closed"]:
            return "the draft is complete: confirm it or undo"
        try:
            if text.isascii() and text.isdigit():
                actions = menu(self._table, self._state, self._opened())
                if not 1 <= int(text) <= len(actions):
                    return f"the menu has numbers 1 to {len(actions)}"
                action = actions[int(text) - 1]
            else:
                action = game.notation.read(self._state, status["seat"], text)
        except KontorError as error:
            return str(error)
        reason = self._table.why_not(self._state, action)
        if reason is None:
            self._extend(action)
        return reason

    def _extend(self, action: Action) -> None:
        before = self._state
        self._state, events = advance(self._table.game, before, action)
        self._draft.append(Ply(self._table.ply + len(self._draft), before, action, events))

    def _reset(self, actions: Iterable[Any]) -> None:
        kept = list(actions)
        self._draft, self._state = [], self._table.state
        for action in kept:
            self._extend(action)

    def _store(self) -> None:
        save_draft(self._table, [ply.action for ply in self._draft if isinstance(ply.action, Action)])

    def _opened(self) -> list[int]:
        """Slots whose cards the draft shows."""
        game = self._table.game
        pairs = [
            pair for ply in self._draft if isinstance(ply.action, Action) for pair in game.opens(ply.before, ply.action)
        ]
        return [slot for slot, _ in pairs]

    def _known(self, seat: int | None) -> Known:
        known = self._table.known(seat)
        opened = self._opened()
        return {slot: face for slot, face in known.items() if slot not in opened}


def bot_turn(bot: Bot, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> list[Action]:
    """A bot's actions up to the first want or another seat's decision: one frame, like a person's draft."""
    actions: list[Action] = []
    opened: set[int] = set()
    while to_act(game, state) == seat:
        own = {slot: face for slot, face in known.items() if slot not in opened}
        action = bot.choose(game, state, own, seat, ply + len(actions))
        opened.update(slot for slot, _ in game.opens(state, action))
        actions.append(action)
        state, _ = advance(game, state, action)
    return actions


def said_plies(game: Game[Any], plies: Iterable[Ply]) -> list[dict[str, Any]]:
    """Log entries as plain data: number, seat (None: chance), notation, facts."""
    return [
        {
            "ply": ply.number,
            "seat": ply.action.seat if isinstance(ply.action, Action) else None,
            "text": game.notation.say(ply.before, ply.action) if isinstance(ply.action, Action) else "",
            "chance": "" if isinstance(ply.action, Action) else type(ply.action).__name__,
            "events": [event_dict(event) for event in ply.events],
        }
        for ply in plies
    ]
