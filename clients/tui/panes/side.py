"""Log, chat, and who sits at the table: the tabs beside or below the board."""

from __future__ import annotations

from kontor_games.clients.text.grid_lines import WAYS, went_on_without
from kontor_games.clients.tui.draw.fitted_text import Line, columns, fitted, line_columns, wrapped
from kontor_games.clients.tui.model.items import peer_name
from kontor_games.clients.tui.model.own_part import own_lines
from kontor_games.clients.tui.model.screen import TABS, Screen
from kontor_games.clients.tui.model.shown_match import State

from .head import points

OWN_WIDTH = 100  # nothing is broken there yet, so that it can be broken here
FROM_THE_TOP = ("own", "table")
DASH = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"


def title(screen: Screen, width: int, height: int) -> list[Line]:
    """The tabs; the open one stands out, unread chat is counted."""
    line: Line = [("class:rule", f"{DASH} ")]
    for tab in screen.tabs:
        name = TABS[tab] + (f" ({screen.unheard} new)" if tab == "chat" and screen.unheard else "")
        style = "class:title" if tab == screen.tab else "class:alert" if name != TABS[tab] else "class:dim"
        line += [(style, f"[{name}]" if tab == screen.tab else f" {name} ")]
    back = f" {screen.side_up} back " if screen.side_up else " Tab "
    room = width - line_columns(line) - 2
    back = back if columns(back) <= room else ""
    rest: Line = [("class:rule", f" {DASH * max(0, room - columns(back))}"), ("class:dim", back), ("class:rule", DASH)]
    return [fitted([*line, *rest], width)]


def side(screen: Screen, width: int, height: int) -> list[Line]:
    """The open tab; log and chat show their end unless scrolled back."""
    if screen.session.state is None or screen.session.curtain is not None:
        return []
    lines = lines_of(screen, screen.tab, width)
    screen.side_lines = len(lines)
    screen.scroll_side(0, height)
    if screen.tab in FROM_THE_TOP:
        return lines[screen.side_up : screen.side_up + height]
    end = len(lines) - screen.side_up
    return lines[max(0, end - height) : end]


def lines_of(screen: Screen, tab: str, width: int) -> list[Line]:
    """All lines of a tab."""
    state = screen.session.state
    assert state is not None
    match tab:
        case "log":
            return _log(state, width)
        case "own":
            return _own(screen, width)
        case "chat":
            return _chat(screen, state, width)
        case _:
            return _table(screen, state, width)


def _log(state: State, width: int) -> list[Line]:
    lines: list[Line] = []
    if state["log_from"]:
        lines.append([("class:dim", f" ({state['log_from']} earlier steps are in the replay)")])
    for entry in state["log"]:
        if not entry["say"] or (entry["seat"] is None and not entry["events"]):
            continue  # half a step, which is told when it is whole; or a shuffle that nobody sees
        style = "class:dim" if entry["seat"] is None else ""
        lines += [[(style, f" {line}")] for line in wrapped(entry["say"], width - 2, "  ")]
    return lines or [[("class:dim", " Nothing has happened yet.")]]


def _own(screen: Screen, width: int) -> list[Line]:
    """One's own part of the board, narrow."""
    lines: list[Line] = []
    for text in own_lines(screen.board(OWN_WIDTH)):
        indent = "" if text[:1] in "> " and "(you)" in text else "  "
        lines += [[("", f" {indent}{line}")] for line in wrapped(text, width - 4, "  ")]
    return lines or [[("class:dim", " It is all on the board.")]]


def _chat(screen: Screen, state: State, width: int) -> list[Line]:
    lines: list[Line] = []
    for spoken in state["chat"]:
        first, *rest = wrapped(f"{spoken['name']}: {spoken['text']}", width - 2, "  ")
        name = f"{spoken['name']}:"
        head: Line = (
            [("class:title", f" {name}"), ("", first[len(name) :])] if first.startswith(name) else [("", first)]
        )
        lines += [head, *([("", f" {line}")] for line in rest)]
    if not lines:
        hint = "F4 writes to everybody at the table." if screen.can_talk else "Nobody has said anything."
        return [[("class:dim", f" {line}")] for line in wrapped(hint, width - 2)]
    return lines


def _table(screen: Screen, state: State, width: int) -> list[Line]:
    """Seats, the ways to the other machines, the six words, the options."""
    lines: list[Line] = []
    links = {row["peer"]: row for row in state["grid"]}
    for number, seat in enumerate(state["seats"]):
        mark = ">" if number == state["to_act"] else " "
        total = points(state, number)
        facts = [_kind(seat, number == screen.session.at)]
        if seat["peer"] in links:
            facts.append(_link(links[seat["peer"]]))
        lines.append([("class:title", f"{mark}{seat['name']}"), ("", f"  {total}" if total else "")])
        lines += [[("class:dim", f"   {line}")] for line in wrapped(", ".join(facts), width - 4)]
    for pair in state.get("pairs", []):
        names = " and ".join(peer_name(state, peer) for peer in pair["peers"])
        lines += _text(f"{names}: {_link(pair)}", width, "class:dim")
    for row in state["grid"]:
        lines += [line for advice in row.get("advice", []) for line in _text(advice, width, "class:end")]
    for peer, gone in state.get("votes", {}).items():
        names = ", ".join(peer_name(state, each) for each in gone)
        lines += _text(f"{peer_name(state, int(peer))} wants to go on without {names}.", width)
    if state.get("put_out"):
        lines += _text(went_on_without(state["put_out"]), width, "class:alert")
    for fault in state.get("faults", []):
        lines += _text(fault, width, "class:alert")
    if state["words"]:
        lines += _text(f"Six words of this match: {' '.join(state['words'])}", width)
    for said in state.get("says", []):
        lines += _text(said["text"], width)
    options = ", ".join(f"{name.replace('_', ' ')} {_value(value)}" for name, value in state["options"].items())
    lines += _text(f"Options: {options}", width, "class:dim") if options else []
    return [*lines, *_text(f"Match {state['id']}, step {state['ply']}", width, "class:dim")]


def _text(text: str, width: int, style: str = "") -> list[Line]:
    return [[(style, f" {line}")] for line in wrapped(text, width - 2, "  ")]


def _value(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _kind(seat: State, is_shown: bool) -> str:
    if seat["gone"]:
        return "left; a stand-in plays"
    if seat["kind"] != "person":
        return f"bot ({seat['kind']})"
    if seat["you"]:
        return "you" if is_shown else "at this machine"
    return "person"


STATES = {"linked": "linked", "through others": "reached through others", "missing": "not reached"}


def _link(row: State) -> str:
    """How somebody is reached, and how long a message takes there and back."""
    way = f" {WAYS[row['way']]}" if row["state"] == "linked" and row.get("way") in WAYS else ""
    rtt = f", {row['rtt_ms']} ms" if row["state"] == "linked" and row.get("rtt_ms") is not None else ""
    return STATES.get(row["state"], str(row["state"])) + way + rtt
