"""Golden transcripts: one whole match for each way a game can end, with a digest after every ply.

    python -m tests.golden record GAME        write what ENDINGS in tests/engine/GAME/endings.py lists
    python -m tests.golden find GAME REASON   search a seed whose match ends for this reason
    python -m tests.golden counts             write the numbers of legal actions (tests/golden/counts.json)

Changing a golden is a change of the rules: raise `rules_version` and say so in the changelog. The goldens of the
version before move to `golden/GAME/v1` (its number) and stay as long as it does; they are replayed, not played anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kontor_games.engine import Action, Game, GameState, LocalMatch, canonical, digest, load, result_dict, step
from tests.engine.playouts import all_games, policies, steps

from .engine import toy

FOLDER = Path(__file__).parent / "golden"
Ending = tuple[str, dict[str, Any], int, str, str]
COUNTED_PLIES = 60


def load_game(game: str, rules: int | None = None) -> Game[Any]:
    return toy.GAME if game == "toy" else load(game, rules)


def endings(game: str) -> tuple[list[Ending], dict[str, str]]:
    """What the game's tests list: its endings, and the reason each must end with."""
    module = import_module("tests.engine.toy_endings" if game == "toy" else f"tests.engine.{game}.endings")
    return module.ENDINGS, module.REASONS


def is_settled(game: str) -> bool:
    """Whether the game's endings are listed and were recorded; goldens are kept from then on."""
    return game == "toy" or (find_spec(f"tests.engine.{game}.endings") is not None and (FOLDER / game).is_dir())


def play_ending(game: Game[Any], options: dict[str, Any], seats: int, seed_hex: str, policy: str) -> dict[str, Any]:
    """The match as data: for each ply the digest after it and what was done."""
    seed = bytes.fromhex(seed_hex)
    match = LocalMatch(game, options, seats, seed)
    first = digest(match.state).hex()
    plies = []
    for before, action, after, _ in steps(match, policies(policy, seats, seed)):
        if isinstance(action, Action):
            said = f"{action.seat} {game.notation.say(before, action)}"
        else:
            said = "* " + canonical(action).hex()
        plies.append(f"{digest(after).hex()[:16]} {said}")
    assert match.result is not None
    return {
        "game": game.id,
        "rules": game.rules_version,
        "options": options,
        "seats": seats,
        "seed": seed_hex,
        "policy": policy,
        "first": first,
        "plies": plies,
        "last": digest(match.state).hex(),
        "result": json.loads(json.dumps(result_dict(match.result))),
    }


def states(stored: dict[str, Any]) -> Iterator[GameState]:
    """The states of a stored match under the rules it was played by, from what was done in it; no bot is asked."""
    game = load_game(stored["game"], stored["rules"])
    state = LocalMatch(game, stored["options"], stored["seats"], bytes.fromhex(stored["seed"])).state
    yield state
    for line in stored["plies"]:
        _, who, said = line.split(" ", 2)
        done = game.codec.decode(bytes.fromhex(said)) if who == "*" else game.notation.read(state, int(who), said)
        state, _ = step(game, state, done)
        yield state


def replayed(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored match again, as data."""
    first, *after = states(stored)
    state = after[-1]
    result = load_game(stored["game"], stored["rules"]).result(state)
    assert result is not None
    done = [line.split(" ", 1)[1] for line in stored["plies"]]
    return {
        **stored,
        "first": digest(first).hex(),
        "plies": [f"{digest(each).hex()[:16]} {said}" for each, said in zip(after, done, strict=True)],
        "last": digest(state).hex(),
        "result": json.loads(json.dumps(result_dict(result))),
    }


def of_older_rules() -> list[Path]:
    """The goldens of versions that stand beside the newest: in folders `v1`, `v2` … of their games."""
    return sorted(FOLDER.glob("*/v*/*.json"))


def path_of(game: str, name: str) -> Path:
    return FOLDER / game / f"{name}.json"


def record(game: str) -> None:
    """Write all goldens of a game."""
    listed, reasons = endings(game)
    for name, options, seats, seed_hex, policy in listed:
        data = play_ending(load_game(game), options, seats, seed_hex, policy)
        found = data["result"]["reason"]
        if found != reasons[name]:
            sys.exit(f"{game}/{name} ends with {found!r}, not {reasons[name]!r}; `find` searches another seed")
        path = path_of(game, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path}: {len(data['plies'])} plies, {found}")


def find(game: str, reason: str, options: dict[str, Any]) -> None:
    """Print the first seeds that end for this reason, for each policy and number of seats."""
    record_of = load_game(game)
    for policy in ("random", "greedy"):
        for seats in record_of.seats:
            for number in range(300):
                data = play_ending(record_of, options, seats, f"{number:04x}", policy)
                if data["result"]["reason"] == reason:
                    print((reason, options, seats, f"{number:04x}", policy), len(data["plies"]), "plies")
                    break


def counts(game: Game[Any]) -> dict[str, list[int]]:
    """The number of legal actions before each of the first plies, chance left out, per number of seats."""
    found: dict[str, list[int]] = {}
    for seats in game.seats:
        match = LocalMatch(game, {}, seats, b"counts")
        numbers: list[int] = []
        for _ in steps(match, policies("random", seats, b"counts")):
            if match.turn is not None and match.turn >= 0:
                numbers.append(len(match.legal()))
            if len(numbers) >= COUNTED_PLIES:
                break
        found[str(seats)] = numbers
    return found


def main(arguments: list[str]) -> None:
    match arguments:
        case ["record", game]:
            record(game)
        case ["find", game, reason, *options]:
            find(game, reason, json.loads(options[0]) if options else {})
        case ["counts"]:
            table = {game.id: counts(game) for game in all_games() if is_settled(game.id)}
            text = json.dumps(table, separators=(",", ":")).replace('"},', '"},\n').replace("]},", "]},\n")
            (FOLDER / "counts.json").write_text(text + "\n", encoding="utf-8")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
