"""The bar at the top, and the line of points below it."""

from __future__ import annotations

from kontor_games.clients.tui.draw.fitted_text import Line, columns, cut, line_columns, padded, rule
from kontor_games.clients.tui.model.items import missing_names, peer_name
from kontor_games.clients.tui.model.screen import Screen
from kontor_games.clients.tui.model.shown_match import ScreenMatch, State


def bar(screen: Screen, width: int, height: int) -> list[Line]:
    """Which game, whose turn, and whether the node answers."""
    session = screen.session
    title = session.game.get("title", "Kontor")
    right = f" {session.lost} " if not session.is_online else " F1 help "
    left = f" {title}  "
    room = width - columns(right) - columns(left)
    style = "class:bar.turn" if session.is_my_turn else "class:bar"
    return [[("class:bar", left), (style, padded(whose_turn(session), room)), ("class:bar", right)]]


def whose_turn(session: ScreenMatch) -> str:
    """Whose turn it is, or whom all wait for."""
    state = session.state
    if state is None:
        return "The match is being fetched."
    if state["status"] == "over":
        return "The match is over."
    if state["status"] == "stopped":
        return "The match is stopped: the nodes differ, or somebody broke the rules of the table."
    if state["waiting"] is not None:
        return _waiting(session, state)
    seat = state["to_act"]
    if seat is None or seat < 0:
        return "Chance is at work: cards are shuffled or dealt."
    name = session.names[seat]
    if session.curtain is None and state["status"] == "playing" and state["now"]["text"]:
        return _asked(session, str(state["now"]["text"]))
    if session.curtain is not None:
        return f"It is the turn of {name}, at this screen."
    if session.is_my_turn:
        return f"Your turn, {name}." if session.is_shared else "Your turn."
    if seat == session.at:
        return "Your turn is on its way to the others."
    return f"{name} is to act." + (" You are watching." if session.watching else "")


def _asked(session: ScreenMatch, text: str) -> str:
    """What is asked now, and whether it is the reader who is asked."""
    if session.watching:
        return f"{text} You are watching."
    if session.is_my_turn and session.is_shared and session.at is not None:
        rest = text.removeprefix("Your turn: ")
        return f"Your turn, {session.names[session.at]}. {rest[:1].upper()}{rest[1:]}"
    return f"Your turn. {text}" if session.is_my_turn and not text.startswith("Your turn") else text


def _waiting(session: ScreenMatch, state: State) -> str:
    text = f"Waiting for {missing_names(state)}, {session.waited} s"
    votes = [peer_name(state, int(peer)) for peer in state.get("votes", {})]
    if votes:
        text += f"; {', '.join(votes)} would go on without them"
    elif not session.watching and state["waiting"]["can_vote"]:
        text += "; wait, or go on without them"
    elif not session.watching and session.grace:
        text += f"; nobody is put out for another {session.grace} s"
    return text + "."


def points(state: State, seat: int) -> str:
    """A player's points now, empty if the game does not count them so."""
    view = state["view"]
    players = view.get("players", []) if view else []
    facts = players[seat] if seat < len(players) else {}
    found = facts.get("score", facts.get("vp"))
    return "" if found is None else str(found)


def scores(screen: Screen, width: int, height: int) -> list[Line]:
    """Names and points on the line above the board; `>` marks who is to act."""
    state = screen.session.state
    if state is None or screen.session.curtain is not None:
        return [rule(width, "")]
    where = _where(screen)
    names = screen.session.names
    totals = [points(state, seat) for seat in range(len(names))]
    room = width - columns(where) - 5 - sum(columns(total) + 4 for total in totals)
    each = max(columns(name) for name in names)
    while each > 3 and sum(min(each, columns(name)) for name in names) > room:
        each -= 1
    line: Line = [("class:rule", "\N{BOX DRAWINGS LIGHT HORIZONTAL} ")]
    for seat, name in enumerate(names):
        acts = seat == state["to_act"] and state["status"] != "over"
        text = (">" if acts else "") + cut(name, each) + (f": {totals[seat]}" if totals[seat] else "")
        line += [("class:title" if acts else "", text), ("class:rule", "  " if seat < len(names) - 1 else " ")]
    fill = max(0, width - line_columns(line) - columns(where) - 1)
    dash = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
    return [[*line, ("class:rule", dash * fill), ("class:rule", where), ("class:rule", dash)]]


def _where(screen: Screen) -> str:
    """Which part of the board is in sight."""
    rows = _part(screen.board_top, screen.board_rows, screen.board_lines)
    sides = _part(screen.board_left, screen.board_width, screen.board_columns)
    return " " + (f"{rows} across {sides}" if rows and sides else rows or sides) + " " if rows or sides else ""


def _part(first: int, shown: int, total: int) -> str:
    """Which of so many lines or columns are shown; empty if all are."""
    return f"{first + 1}\N{EN DASH}{min(total, first + shown)}/{total}" if total > shown else ""
