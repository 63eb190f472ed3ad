"""A local match of bots as plain data, played step by step in this process; people play through the node's API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kontor_games.engine import Action, Game, GameState, Known, event_dict, result_dict, to_act, view
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.ledger.turn import work_out
from kontor_games.net.wire.chain import parts

from .local_match import LocalTable


class Bot(Protocol):
    """A player that is a program; it sees the state and what its seat knows, nothing else."""

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action: ...


class LocalPlay:
    """One local table whose seats are all played by bots."""

    def __init__(self, table: LocalTable, bots: Mapping[int, Bot]) -> None:
        self._table = table
        self._bots = bots

    def info(self) -> dict[str, Any]:
        """What does not change during the match."""
        table = self._table
        return {
            "game": table.game.id,
            "title": table.game.title,
            "path": str(table.path),
            "options": dict(table.terms.options),
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in table.terms.seats],
        }

    @property
    def is_over(self) -> bool:
        """Whether nobody has to act any more."""
        return self._table.turn is None

    def result(self) -> dict[str, Any] | None:
        """The result, once there is one."""
        found = self._table.result
        return None if found is None else result_dict(found)

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat sees."""
        return view(self._table.game, self._table.state, seat, self._table.known(seat))

    def advance(self) -> list[dict[str, Any]]:
        """One step, of chance, of a stand-in or of a bot; empty when the match is over."""
        table = self._table
        plies = table.follow()
        turn = table.turn
        if not plies and turn is not None:
            plies = table.commit(
                bot_turn(self._bots[turn], table.game, table.state, table.known(turn), turn, table.ply)
            )
        return said_plies(plies)

    def close(self) -> None:
        """Let go of the file; everything is saved already."""
        self._table.close()


def bot_turn(bot: Bot, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> list[Action]:
    """A bot's actions up to the first want or another seat's decision: one frame, like a person's draft."""
    actions: list[Action] = []
    opened: set[int] = set()
    while to_act(game, state) == seat:
        own = {slot: face for slot, face in known.items() if slot not in opened}
        action = bot.choose(game, state, own, seat, ply + len(actions))
        turn = work_out(game, state, seat, parts([action]), ply + len(actions), None)
        opened.update(slot for shown in turn.shown for slot, _ in shown.pairs)
        actions.append(action)
        state = turn.after
    return actions


def said_plies(plies: Iterable[Ply]) -> list[dict[str, Any]]:
    """Log entries as plain data: number, seat (None: chance), notation, facts."""
    return [
        {
            "ply": ply.number,
            "seat": ply.action.seat if isinstance(ply.action, Action) else None,
            "text": ply.text or "",
            "chance": "" if isinstance(ply.action, Action) else type(ply.action).__name__,
            "events": [event_dict(event) for event in ply.events],
        }
        for ply in plies
    ]
