"""An analysis in words: the chances over the match, the decisions that moved them most, and how well everybody played.

`told` makes plain data with sentences of what is stored. The terminal prints it (`report`), and the node hands it to
browsers. Chances are in ten-thousandths.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any, NamedTuple

from .terminal import Terminal

STEPS = "▁▂▃▄▅▆▇█"
SHOWN = 5  # decisions
CLEAR = 100  # a difference below one per cent is none
FACTS = 3  # of what a line brings at once
WON = 10_000
Data = dict[str, Any]


class AnalysedMatch(NamedTuple):
    """What has to be known of the match itself."""

    names: Sequence[str]
    turns: Sequence[tuple[int, int]]  # the first ply of every turn, and its number
    plies: int
    result: Mapping[str, Any]

    def turn(self, ply: int) -> int:
        """The number of the turn to which a ply belongs."""
        place = bisect_right([first for first, _ in self.turns], ply) - 1
        return self.turns[place][1] if place >= 0 else 0


def told(analysis: Data, match: AnalysedMatch) -> Data:
    """All of it as plain data: `curve`, `turning` and `players`, as far as it is done."""
    decisions = analysis["decisions"]
    return {
        "budget": analysis["budget"],
        "done": len(analysis["curve"]) + len(decisions),
        "total": analysis["total"],
        "curve": _curve(analysis["curve"], match),
        "turning": _turning(decisions, match),
        "players": _players(decisions, match.names),
    }


def _curve(curve: list[Data], match: AnalysedMatch) -> list[Data]:
    """Each with its neighbours: a chance does not jump to and fro, but few continuations make it look so."""
    points = []
    for place, point in enumerate(curve):
        near = curve[max(0, place - 1) : place + 2]
        chances = [sum(each) // len(near) for each in zip(*(one["chances"] for one in near), strict=True)]
        errors = zip(*(one["errors"] for one in near), strict=True)
        doubts = [2 * isqrt(sum(error * error for error in each)) // len(near) for each in errors]
        points.append({"ply": point["ply"], "turn": match.turn(point["ply"]), "chances": chances, "doubts": doubts})
    if points:
        winners = match.result["winners"]
        share = [WON // len(winners) if seat in winners else 0 for seat in range(len(match.names))]
        end = {"ply": match.plies, "turn": match.turn(match.plies), "chances": share, "doubts": [0] * len(share)}
        points.append(end)
    return points


def _turning(decisions: list[Data], match: AnalysedMatch) -> list[Data]:
    """The decisions that moved the chances most, in the order of the match."""
    clear = sorted(filter(is_clear, decisions), key=lambda each: (-cost(each), each["ply"]))[:SHOWN]
    return [
        {
            "ply": each["ply"],
            "turn": match.turn(each["ply"]),
            "seat": each["seat"],
            "chance": each["chance"],
            "best": each["best"],
            "doubt": 2 * each["error"],
            "played": sentence(different(each["played"], each["better"])),
            "better": sentence(different(each["better"], each["played"])),
            "why": why(each, match.names),
        }
        for each in sorted(clear, key=lambda each: int(each["ply"]))
    ]


def _players(decisions: list[Data], names: Sequence[str]) -> list[Data]:
    """How often everybody did as well as the expert, and what a decision gave away on average."""
    found = []
    for seat in range(len(names)):
        own = [each for each in decisions if each["seat"] == seat and each["lines"] > 1]
        good = sum(not is_clear(each) for each in own)
        given = sum(map(cost, filter(is_clear, own))) // len(own) if own else 0
        found.append({"seat": seat, "decisions": len(own), "good": good, "given_away": given})
    return found


def why(decision: Data, names: Sequence[str]) -> str:
    """The facts behind a verdict: what the two lines lead to, what they bring at once, and how sure that is."""
    sentences = [*_later(decision, names), *_ended(decision)]
    gained = [fact for fact in decision["better_facts"] if fact not in decision["facts"]][:FACTS]
    missed = [fact for fact in decision["facts"] if fact not in decision["better_facts"]][:FACTS]
    if gained:
        sentences.append(f"The better move at once: {joined(gained)}.")
    if missed:
        sentences.append(f"The one that was played: {joined(missed)}.")
    doubt = percent(2 * decision["error"])
    give = f"give or take {doubt} %" if doubt else "give or take less than 1 %"
    sentences.append(f"Measured in {decision['worlds']} continuations, {give}.")
    return " ".join(sentences)


def _ended(decision: Data) -> list[str]:
    """Whether the match was over by then: what points alone do not tell."""
    if not decision["ends"]:
        return []
    won, lost, best_won, best_lost = decision["ends"]
    of, told = f"of {decision['worlds']} continuations", []
    if lost > best_lost:
        told.append(f"By then the match was lost in {lost} {of}, with the better move in {best_lost or 'none'}.")
    if best_won > won:
        told.append(f"By then the better move had won the match in {best_won} {of}, the other in {won or 'none'}.")
    return told


def _later(decision: Data, names: Sequence[str]) -> list[str]:
    """Where the two lines lead to, in points."""
    seat, points, best = decision["seat"], decision["points"], decision["best_points"]
    if not points or not best:
        return []
    when = "A round later" if decision["rounds"] == 1 else "A few rounds later"
    own = f"{names[seat]} has {_tenths(best[seat])} points on average instead of {_tenths(points[seat])}"
    others = [other for other in range(len(names)) if other != seat]
    rival = max(others, key=lambda other: (points[other], -other))
    theirs = f"{names[rival]}, the strongest rival, has {_tenths(best[rival])} instead of {_tenths(points[rival])}"
    has_moved = abs(best[seat] - points[seat]) >= 2, abs(best[rival] - points[rival]) >= 2
    match has_moved:
        case True, True:
            return [f"{when} {own}, and {theirs}."]
        case True, False:
            return [f"{when} {own}."]
        case False, True:
            return [f"{when} {theirs}; the points of {names[seat]} are the same."]
    return [f"{when} the points are much the same; what is better is the position."]


def is_clear(decision: Data) -> bool:
    """Whether it was worse beyond doubt: by a per cent, and by twice the error."""
    return bool(decision["better"]) and cost(decision) >= max(CLEAR, 2 * int(decision["error"]))


def cost(decision: Data) -> int:
    """What a decision gave away, in ten-thousandths of a win."""
    return max(0, int(decision["best"]) - int(decision["chance"]))


def different(line: list[str], other: list[str]) -> list[str]:
    """The choices of a line without those with which both lines begin and end; something is left of each."""
    line, other = list(line), list(other)
    for place in (0, -1):
        while min(len(line), len(other)) > 1 and line[place] == other[place]:
            line.pop(place)
            other.pop(place)
    return line


def sentence(phrases: list[str]) -> str:
    """The choices of a line, one after the other."""
    return ", then ".join(
        phrase if not place else phrase[:1].lower() + phrase[1:] for place, phrase in enumerate(phrases)
    )


def joined(facts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(facts[:-1]), facts[-1])))


def percent(chance: int) -> int:
    return (chance + 50) // 100


def _tenths(points: int) -> str:
    return f"{points / 10:g}"


def report(terminal: Terminal, title: str, analysis: Data, match: AnalysedMatch) -> None:
    """Print all of it."""
    winners = joined([match.names[seat] for seat in match.result["winners"]])
    terminal.print(terminal.paint(f"{title}: {winners} won", "bold"))
    terminal.print()
    found = told(analysis, match)
    _print_curve(terminal, found["curve"], match.names)
    _print_turning(terminal, found["turning"], match.names)
    _print_players(terminal, found["players"], match.names)


def _print_curve(terminal: Terminal, curve: list[Data], names: Sequence[str]) -> None:
    if not curve:
        return
    terminal.print("Chances to win over the match, in per cent")
    widest = max(map(len, names))
    for seat, name in enumerate(names):
        chances = [point["chances"][seat] for point in curve]
        bars = "".join(STEPS[min(len(STEPS) - 1, chance * len(STEPS) // WON)] for chance in chances)
        parts = [chances[(len(chances) - 1) * part // 4] for part in range(5)]
        terminal.print(f"  {name:<{widest}}  {bars}  {' '.join(f'{percent(each):>3}' for each in parts)}")
    doubts = [doubt for point in curve[:-1] for doubt in point["doubts"]]
    doubt = percent(sum(doubts) // len(doubts))
    terminal.wrapped(f"  Figures: at the beginning, after each quarter and at the end, give or take {doubt}.")
    terminal.print()


def _print_turning(terminal: Terminal, turning: list[Data], names: Sequence[str]) -> None:
    if not turning:
        terminal.print("No decision was clearly worse than what the expert found.")
    else:
        terminal.print("The decisions that moved the chances most")
    for each in turning:
        terminal.print()
        where = f"Turn {each['turn']} (step {each['ply']}), {names[each['seat']]}"
        head = f"{where}: a chance of {percent(each['chance'])} %, where {percent(each['best'])} % was possible"
        terminal.print(f"  {terminal.paint(head, 'bold')}")
        terminal.wrapped(f"  Played: {each['played']}.", indent="    ")
        terminal.wrapped(f"  Better: {each['better']}.", indent="    ")
        terminal.wrapped(f"  Why: {each['why']}", indent="    ")
    terminal.print()


def _print_players(terminal: Terminal, players: list[Data], names: Sequence[str]) -> None:
    terminal.print("How well everybody played")
    widest = max(map(len, names))
    for each in players:
        count, good, name = each["decisions"], each["good"], names[each["seat"]]
        if not count:
            terminal.print(f"  {name:<{widest}}  had nothing to decide")
            continue
        lost = f"{each['given_away'] / 100:.1f} % given away in each"
        told_good = f"{good} of {count} decisions as good as the expert's"
        terminal.print(f"  {name:<{widest}}  {100 * good // count:>3} %  {told_good}; {lost}")
