"""A table in lines, as everybody at it reads them: who sits where, to what they agree, what is said, the six words."""

from __future__ import annotations

from collections.abc import Sequence

from kontor_games.clients.text.game_options import option_words
from kontor_games.clients.text.lobby_words import marked
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.values import Data


def seat_line(seat: Data) -> str:
    """«Bert (a guest)  ready»."""
    if not seat["name"]:
        return "(free)"
    what = _what(seat)
    state = seat_state(seat)
    name = marked(seat["name"], seat.get("mark"))
    return f"{name}{f' ({what})' if what else ''}{'  ' + state if state else ''}"


def seat_state(seat: Data) -> str:
    """Whether who sits there is ready, or away; nothing if neither."""
    return "ready" if seat["ready"] else "" if seat["here"] else "connection lost"


def _what(seat: Data) -> str:
    """You, a bot, a guest; nothing for another person."""
    if seat["kind"] != "person":
        return f"{'your' if seat['you'] else 'a'} {seat['kind']} bot"
    if seat["guest"]:
        return f"a guest{' at your machine' if seat['you'] else ''}"
    return "you" if seat["you"] else ""


def say_terms(terminal: Terminal, game: Data, view: Data) -> None:
    """To what everybody at a full table agrees."""
    other = option_words(game, view["options"])
    terminal.wrapped(
        f"All seats are taken. You will play {game['title']}"
        + (f" with {other}; all other options as usual." if other else ", all options as usual.")
    )
    for said in view["says"]:
        terminal.wrapped(said["text"])


def say_words(terminal: Terminal, words: Sequence[str]) -> None:
    """The terms are signed: what people compare."""
    terminal.print()
    terminal.print("The terms are signed. This match in six words:")
    terminal.print("    " + terminal.paint(" ".join(words), "bold"))
    terminal.wrapped(
        "Compare them with the others before your first move: everybody must see the same six. If not, leave."
    )


def say_chat(terminal: Terminal, line: Data) -> None:
    """Somebody talks."""
    terminal.wrapped(f"{marked(line['name'], line.get('mark'))} says: {line['text']}")
