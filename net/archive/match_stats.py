"""What many matches come to: a fold over their rows. Memory grows with games, people and kinds of choices alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

from .match_rows import Description, PlyRow

_TELLING = {  # what players of a game compare after it, by the verb of the notation; otherwise every verb
    "hansa": ("develop", "office", "prestige", "use"),
    "yokohama": ("fulfil", "claim", "agent", "deploy", "shop", "house"),
    "osaka": ("token", "buy", "reserve", "insure"),
    "joban": ("play", "design"),
}
_PLACE = re.compile(r"[@:].*$|_?\d+$")
MOST_CHOICES = 200  # of one game: whatever comes after these is counted together


class GameStats:
    """One game."""

    def __init__(self) -> None:
        self.matches = 0
        self.unfinished = 0
        self.players: Counter[int] = Counter()
        self.endings: Counter[str] = Counter()
        self.plies: Counter[int] = Counter()
        self.scores: Counter[int] = Counter()
        self.winning_scores: Counter[int] = Counter()
        self.stand_ins = 0  # matches that a stand-in played in
        self.seats: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0, 0.0])  # players, seat: played, won
        self.choices: dict[str, list[float]] = defaultdict(lambda: [0, 0])  # made, by winners


class MatchStats:
    """All games and people."""

    def __init__(self) -> None:
        self.games: dict[str, GameStats] = defaultdict(GameStats)
        self.people: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0])  # matches, won, left

    def add(self, told: Description) -> None:
        """One more match."""
        match, game = told.match, self.games[told.match.game]
        game.matches += 1
        game.players[match.players] += 1
        game.stand_ins += match.stand_in_plies > 0
        winners = [row.seat for row in told.seats if row.won]
        for row in told.seats:
            share = 1 / len(winners) if row.won else 0.0  # a shared victory is one victory
            person = self.people[row.name, row.key]
            person[2] += row.left
            if match.finished:
                person[0] += 1
                person[1] += share
                played = game.seats[match.players, row.seat]
                played[0] += 1
                played[1] += share
                game.scores[row.score or 0] += 1
                if row.won:
                    game.winning_scores[row.score or 0] += 1
        if match.ending:
            game.endings[match.ending] += 1
        if not match.finished:
            game.unfinished += 1
            return
        game.plies[match.plies] += 1
        for ply in told.plies:
            if ply.seat is not None and not ply.stand_in:
                self._choice(game, _choice_in(ply), ply.seat in winners)
        for seat, name in told.gained:
            self._choice(game, name, seat in winners)

    @staticmethod
    def _choice(game: GameStats, name: str, is_winners: bool) -> None:
        if not name:
            return
        if name not in game.choices and len(game.choices) >= MOST_CHOICES:
            name = "others"
        game.choices[name][0] += 1
        game.choices[name][1] += is_winners

    def as_dict(self) -> dict[str, Any]:
        """Plain data: games and people, each in a fixed order."""
        people = [
            {"name": name, "key": key, "finished": int(found[0]), "won": round(found[1], 2), "left": int(found[2])}
            for (name, key), found in sorted(self.people.items(), key=lambda item: (-item[1][0], item[0]))
        ]
        return {"games": {name: _game(self.games[name]) for name in sorted(self.games)}, "people": people}


def _choice_in(ply: PlyRow) -> str:
    """What was chosen, without places and numbers; empty if it tells nothing."""
    words = ply.text.split()
    telling = _TELLING.get(ply.game)
    if not words or (telling is not None and words[0] not in telling):
        return ""
    return " ".join(filter(None, (_PLACE.sub("", word) for word in words[:2])))


def _game(game: GameStats) -> dict[str, Any]:
    return {
        "matches": game.matches,
        "finished": game.matches - game.unfinished,
        "players": {str(count): game.players[count] for count in sorted(game.players)},
        "endings": dict(sorted(game.endings.items())),
        "stand_ins": game.stand_ins,
        "plies": _spread(game.plies),
        "scores": _spread(game.scores),
        "winning_scores": _spread(game.winning_scores),
        "seats": [
            {"players": players, "seat": seat, "played": int(played), "won": round(won, 2)}
            for (players, seat), (played, won) in sorted(game.seats.items())
        ],
        "choices": [
            {"choice": name, "made": int(made), "by_winners": int(won)}
            for name, (made, won) in sorted(game.choices.items(), key=lambda item: (-item[1][0], item[0]))
        ],
    }


def _spread(counts: Counter[int]) -> dict[str, Any]:
    """Least, quartiles, most, mean, and how often each value was."""
    total = counts.total()
    if not total:
        return {"count": 0}
    ordered = sorted(counts.items())

    def at(share: float) -> int:
        passed = 0
        for value, count in ordered:
            passed += count
            if passed >= share * total:
                return value
        return ordered[-1][0]

    mean = round(sum(value * count for value, count in ordered) / total, 1)
    quartiles = {"quarter": at(0.25), "middle": at(0.5), "three_quarters": at(0.75)}
    ends = {"least": ordered[0][0], "most": ordered[-1][0]}
    return {"count": total, "mean": mean, **ends, **quartiles, "values": {str(key): n for key, n in ordered}}
