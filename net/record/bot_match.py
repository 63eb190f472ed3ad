"""A local match of bots as plain data, played step by step in this process; people play through the node's API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kontor_games.engine import Action, Game, GameState, Known, event_dict, result_dict, to_act, view
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.ledger.turn import work_out
from kontor_games.net.wire.chain import parts

from .local_match import RecordedMatch


class Bot(Protocol):
    """A player that is a program; it sees the state and what its seat knows, nothing else."""

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action: ...


class BotMatch:
    """One local match whose seats are all played by bots."""

    def __init__(self, match: RecordedMatch, bots: Mapping[int, Bot]) -> None:
        self._match = match
        self._bots = bots

    def info(self) -> dict[str, Any]:
        """What does not change during the match."""
        match = self._match
        return {
            "game": match.game.id,
            "title": match.game.title,
            "path": str(match.path),
            "options": dict(match.terms.options),
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in match.terms.seats],
        }

    @property
    def is_over(self) -> bool:
        """Whether nobody has to act any more."""
        return self._match.turn is None

    def result(self) -> dict[str, Any] | None:
        """The result, once there is one."""
        found = self._match.result
        return None if found is None else result_dict(found)

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat sees."""
        return view(self._match.game, self._match.state, seat, self._match.known(seat))

    def advance(self) -> list[dict[str, Any]]:
        """One step, of chance, of a stand-in or of a bot; empty when the match is over."""
        match = self._match
        plies = match.follow()
        turn = match.turn
        if not plies and turn is not None:
            plies = match.commit(
                bot_turn(self._bots[turn], match.game, match.state, match.known(turn), turn, match.ply)
            )
        return said_plies(plies)

    def close(self) -> None:
        """Let go of the file; everything is saved already."""
        self._match.close()


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
