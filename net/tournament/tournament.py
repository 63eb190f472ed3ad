"""An event for whoever asks: made, changed and shown in plain data. Commands and pages stand on this alone."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kontor_games.engine import load as load_game
from kontor_games.engine.errors import ConfigError
from kontor_games.net.archive.reports.report_files import write_page
from kontor_games.net.wire.identity import Signer, fingerprint, fingerprint_words

from .event_chain import read_chain
from .event_check import check
from .event_folder import EventFolder, chain_in
from .event_page import declared, event_page, standings_csv
from .event_records import EventEnded, EventSettings, PlayerAdded, PlayerDropped, ResultFiled
from .event_state import EventState
from .pairing import draw, seat_counts, why_not_draw
from .played_match import PlayedMatch, grace_for, result_of, why_not_played
from .result_files import Tick, bytes_of, clashes, played_in
from .standings import points_text, scores, standings, tie_text

SEATS = {2: (12, 0), 3: (12, 6, 0), 4: (12, 8, 4, 0), 5: (12, 9, 6, 3, 0)}  # usual points: the mean is always 6


def _handed(path: str, number: int = 0, table: int = 0, fault: str = "", text: str = "") -> dict[str, Any]:
    """What became of a file that was handed in; without a fault it counts."""
    return {"path": path, "round": number, "table": table, "fault": fault, "text": text}


def new_event(folder: Path, signer: Signer, wish: Mapping[str, Any]) -> None:
    """Declare an event; `wish` has the fields of `EventSettings` that somebody chose. Raises ConfigError."""
    game = load_game(wish["game"])
    sizes = tuple(wish["sizes"])
    full = [game.check_options(wish.get("options", {}), size) for size in sizes]
    usual = {
        "version": 1,
        "organiser": signer.key.hex(),
        "rules": game.rules_version,
        "data": game.data_digest.hex(),
        "points": tuple(SEATS[size] for size in sizes),
        "seed": secrets.token_hex(16),
    }
    chosen = {name: value for name, value in wish.items() if value is not None}
    try:
        settings = msgspec.convert({**usual, **chosen, "kind": "settings", "options": full[0]}, EventSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"an event cannot be declared like this: {error}") from None
    EventFolder.create(folder, settings, signer)


class Tournament:
    """One event in its folder; looking at it also works with a copy of `event.txt` alone."""

    def __init__(self, path: Path, signer: Callable[[], Signer]) -> None:
        self._path = path
        self._signer = signer  # asked for when something is signed: looking needs no key
        self._folder = EventFolder(path)

    # ---- what the organiser does

    def add(self, key: str, name: str) -> None:
        """Let somebody take part; raises ConfigError."""
        self._append(PlayerAdded(_key(key), name))

    def drop(self, who: str) -> str:
        """Let somebody go, by name or by the beginning of a key; their name."""
        entrant = self._find(who)
        self._append(PlayerDropped(entrant["key"]))
        return str(entrant["name"])

    def draw(self, anyway: bool) -> int:
        """Draw the next round; with `anyway` also while results are missing, which then score as declared."""
        with self._folder.changing() as state:
            self._demand_results(state, anyway)
            if reason := why_not_draw(state):
                raise ConfigError(reason)
            drawn = draw(state)
            self._folder.append(state, drawn, self._signer())
        return drawn.number

    def end(self, anyway: bool) -> None:
        """Write down the standings; nothing follows."""
        with self._folder.changing() as state:
            self._demand_results(state, anyway)
            self._folder.append(state, EventEnded(standings(state, is_closed=True)), self._signer())

    def hand_in(
        self, paths: Sequence[str], cache: str | None, tick: Tick = lambda done, total: None
    ) -> Iterator[dict[str, Any]]:
        """Take match files; each counts or is refused by itself, with the name of its fault."""
        with self._folder.changing() as state:
            for path, played in zip(paths, played_in([Path(each) for each in paths], _path(cache), tick), strict=True):
                yield self._take_file(state, path, played)

    def _take_file(self, state: EventState, path: str, played: PlayedMatch) -> dict[str, Any]:
        refusal = why_not_played(state, played)
        if refusal is not None:
            return _handed(path, fault=refusal.fault, text=refusal.text)
        record = result_of(state, played)
        data = bytes_of(Path(path), played.file)
        clash = self._clash(state, record, data)
        reason = state.why_not(record)
        if reason is not None:
            fault, text = ("contradiction", f"{reason}; {clash}") if clash else ("not needed", reason)
            return _handed(path, record.round, record.table, fault, text)
        self._folder.keep(record.file, data)
        self._folder.append(state, record, self._signer())
        return _handed(path, record.round, record.table, text=clash)

    def _clash(self, state: EventState, record: ResultFiled, data: bytes) -> str:
        """What the file contradicts among those of its match that were handed in, in words."""
        before = [each.file for each in state.filed.values() if each.match == record.match]
        if not before:
            return ""
        files = [(file[:12], bytes_of(self._folder.match_path(file), file)) for file in before]
        found = clashes([*files, (record.file[:12], data)])
        return "; ".join(f"it contradicts a file handed in before: {each.text}" for each in found)

    def _append(self, record: PlayerAdded | PlayerDropped) -> None:
        with self._folder.changing() as state:
            self._folder.append(state, record, self._signer())

    def _demand_results(self, state: EventState, anyway: bool) -> None:
        missing = state.missing()
        if missing and not anyway:
            tables = ", ".join(map(str, missing))
            raise ConfigError(
                f"round {len(state.rounds)} has no result of table {tables}; hand in the files, or say --anyway: then "
                f"everybody there scores {state.settings.missing}, as declared"
            )

    # ---- what anybody can ask

    def state(self) -> EventState:
        """The event, checked as far as its chain goes; raises BrokenChain or StoreError."""
        return read_chain(chain_in(self._path))

    def shown(self) -> dict[str, Any]:
        """The event in plain data: settings, players, rounds, standings."""
        return event_data(self.state())

    def invitation(self, key: str) -> dict[str, Any]:
        """The table at which this key plays in the round under way; raises ConfigError if there is none."""
        state = self.state()
        if not state.rounds or state.is_over:
            raise ConfigError("no round is being played")
        drawn = state.rounds[-1]
        found = next((n for n, table in enumerate(drawn.tables, 1) if key in table), None)
        if found is None:
            free = key in drawn.byes
            raise ConfigError(f"you have a bye in round {drawn.number}" if free else "you are not drawn in this round")
        settings, keys = state.settings, drawn.tables[found - 1]
        return {
            "event": settings.name,
            "round": drawn.number,
            "table": found,
            "game": settings.game,
            "rules": settings.rules,
            "options": dict(settings.options),
            "recovery": settings.recovery,
            "grace": grace_for(settings, len(keys)) or 0,
            "spectators": settings.spectators,
            "mark": state.marks[-1],
            "organiser": settings.organiser,
            "organiser_words": fingerprint_words(bytes.fromhex(settings.organiser)),
            "seat": keys.index(key),
            "seats": [
                {"key": each, "name": state.entrants[each].name, "fingerprint": fingerprint(bytes.fromhex(each))}
                for each in keys
            ],
            "is_filed": (drawn.number, found) in state.results,
        }

    def write_page(self, path: Path) -> None:
        """The page for the wall and for phones."""
        self._demand_outside(path)
        write_page(path, event_page(self.shown()))

    def write_csv(self, path: Path) -> None:
        """The standings as a table."""
        self._demand_outside(path)
        write_page(path, standings_csv(self.shown()))

    def _demand_outside(self, path: Path) -> None:
        if self._path.is_dir() and path.resolve().is_relative_to(self._path.resolve()):
            raise ConfigError(f"{path} is inside the event's folder, which holds nothing but what can be checked")

    def check(self, cache: str | None, older: Path | None, tick: Tick = lambda done, total: None) -> dict[str, Any]:
        """Everything verified and computed again: code, faults, not_judged, notes, has_files, and what can be read."""
        found = check(self._path, _path(cache), older, tick)
        told = {"code": found.code, "faults": found.faults, "not_judged": found.not_judged, "notes": found.notes}
        told["has_files"] = found.has_files
        return {**told, "event": None if found.state is None else event_data(found.state)}

    def _find(self, who: str) -> dict[str, Any]:
        players = self.shown()["players"]
        wanted = who.strip().casefold()
        named = [each for each in players if each["name"].casefold() == wanted]
        found = named or [each for each in players if len(wanted) >= 6 and each["key"].startswith(wanted)]
        if len(found) != 1:
            raise ConfigError(f"{who!r} is the name of nobody here, nor how one key begins")
        return dict(found[0])


def event_data(state: EventState) -> dict[str, Any]:
    """An event in plain data, for pages, tables and terminals."""
    settings, earned = state.settings, scores(state)
    names = {key: each.name for key, each in state.entrants.items()}
    sat = seat_counts(state)
    most = max(settings.sizes)
    table = [
        {
            "rank": row.rank,
            "key": row.key,
            "name": names[row.key],
            "is_here": state.entrants[row.key].is_here,
            "points": points_text(row.points),
            "ties": [tie_text(kind, value) for kind, value in zip(settings.tie_breaks, row.ties, strict=True)],
            "rounds": [_earned(each) for each in earned[row.key].rounds],
            "seats": [sat[row.key, seat] for seat in range(most)],
        }
        for row in standings(state)
    ]
    return {
        "settings": msgspec.to_builtins(settings),
        "declared": declared(msgspec.to_builtins(settings)),
        "title": load_game(settings.game).title,
        "players": [{"key": each.key, "name": each.name, "is_here": each.is_here} for each in state.entrants.values()],
        "rounds": [_round_data(state, number, names) for number in range(1, len(state.rounds) + 1)],
        "standings": table,
        "tie_breaks": list(settings.tie_breaks),
        "missing": state.missing(),
        "is_over": state.is_over,
        "records": state.count,
        "tip": state.tip,
    }


def _earned(each: Any) -> dict[str, Any]:
    return {"how": each.how, "points": points_text(each.points), "place": each.place, "table": each.table}


def _round_data(state: EventState, number: int, names: Mapping[str, str]) -> dict[str, Any]:
    drawn = state.rounds[number - 1]
    tables = []
    for table, keys in enumerate(drawn.tables, 1):
        result = state.results.get((number, table))
        places = result.places if result is not None else ()
        points = result.scores if result is not None else ()
        tables.append(
            {
                "table": table,
                "finish": None if result is None else result.finish,
                "file": None if result is None else result.file,
                "seats": [
                    {
                        "key": key,
                        "name": names[key],
                        "place": places[seat] if places else None,
                        "score": points[seat] if points else None,
                        "left": result is not None and seat in result.left,
                    }
                    for seat, key in enumerate(keys)
                ],
            }
        )
    return {
        "number": number,
        "tables": tables,
        "byes": [names[key] for key in drawn.byes],
        "mark": state.marks[number - 1],
    }


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _key(text: str) -> str:
    key = "".join(text.split()).lower()
    if len(key) != 64 or not set(key) <= set("0123456789abcdef"):
        raise ConfigError(f"{text[:80]!r} is not a key: it has 64 digits 0 to 9 and a to f; kontor id shows it")
    return key
