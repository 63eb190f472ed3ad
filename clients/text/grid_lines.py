"""How the others are reached: the connection grid in lines that can be read aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kontor_games.clients.values import Data

from .terminal import Terminal

STATES = {
    "linked": "linked",
    "here": "at the table, not linked to you yet",
    "through others": "reached through others",
    "missing": "not reached",
    "gone": "gone for good",
    "unknown": "not known",
}
WAYS = {
    "lan": "on the local network",
    "direct": "directly",
    "punched": "directly, through both routers",
    "relay": "through the lobby's relay",
}


def print_grid(terminal: Terminal, rows: Sequence[Data], pairs: Sequence[Data] = ()) -> None:
    """One line per other node with its advice below, then the pairs of others."""
    names = {row["peer"]: str(row.get("name") or f"node {row['peer']}") for row in rows}
    if not rows:
        terminal.print("  There is no other node to be reached.")
    for row in rows:
        terminal.wrapped(f"  {names[row['peer']]}: {grid_line(row)}", indent="    ")
        for text in row.get("advice", ()):
            terminal.wrapped(f"    {text}", indent="    ")
    for pair in pairs:
        terminal.wrapped(f"  {pair_line(pair, names)}", indent="    ")


def grid_line(row: Data) -> str:
    """State, way, round trip, version and clock of one node, as far as they are known."""
    parts = [STATES.get(row["state"]) or str(row["state"])]
    if row["path"]:
        way = WAYS.get(row.get("way") or "")
        parts.append(f"{way} ({row['path']})" if way else f"at {row['path']}")
    if row["rtt_ms"] is not None:
        parts.append(f"{row['rtt_ms']} ms there and back")
    if row.get("software"):
        parts.append(f"Kontor {row['software']}")
    if row.get("skew_ms") is not None:
        parts.append(f"clock {_off(row['skew_ms'])}")
    return ", ".join(parts)


def pair_line(pair: Data, names: Mapping[int, str]) -> str:
    """A pair to which this node does not belong, as the others tell it."""
    who = " and ".join(names.get(peer, f"node {peer}") for peer in pair["peers"])
    parts = [STATES.get(pair["state"]) or str(pair["state"])]
    if pair.get("way"):
        parts.append(WAYS[pair["way"]])
    if pair.get("rtt_ms") is not None:
        parts.append(f"{pair['rtt_ms']} ms there and back")
    return f"{who}: {', '.join(parts)}"


def _off(milliseconds: int) -> str:
    seconds = abs(milliseconds) / 1000
    if seconds < 1:
        return "agrees with yours"
    return f"{seconds:.0f} s {'ahead of' if milliseconds > 0 else 'behind'} yours"


def went_on_without(put_out: Data) -> str:
    """A word to whoever was put out of a match: by whom, and whether they can watch it."""
    *most, last = put_out["by"]
    names = f"{', '.join(most)} and {last}" if most else last
    watch = "You can watch how it goes on." if put_out["can_watch"] else "Nobody can watch this match."
    return f"You were out of reach, and {names} went on without you. A stand-in plays your seat. {watch}"
