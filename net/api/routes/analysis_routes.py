"""Routes of analyses: start one, stop it, and read what it has found so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from kontor_games.net.api.http.api_errors import refused
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.analyses import Analyses
from kontor_games.net.api.matches.hub import Hub

from .replay_shelf import ReplayShelf

NOT_OVER: Final = "only a match that was played to its end can be analysed"
NOTHING: Final[dict[str, Any]] = {"budget": 0, "done": 0, "total": 0, "curve": [], "turning": [], "players": []}


class AnalysisRoutes:
    """For the owner of the node alone; a replay is named as in the other routes of replays."""

    def __init__(self, hub: Hub, shelf: ReplayShelf) -> None:
        self._shelf = shelf
        self._analyst = hub.setup.analyst
        self._hub = hub
        self._analyses = Analyses(hub.reactor, hub.feed, self._analyst, lambda: hub.matches.values())

    def routes(self) -> list[Route]:
        return [
            Route("GET", "replays/{id}/analysis", self.look),
            Route("POST", "replays/{id}/analysis", self.start),
            Route("POST", "replays/{id}/analysis/stop", self.stop),
        ]

    def close(self) -> None:
        """The node stops."""
        self._analyses.close()

    def look(self, call: ApiCall) -> Any:
        replay, path = self._named(call)
        return self._told(replay, path)

    def start(self, call: ApiCall) -> Any:
        replay, path = self._named(call)
        self._hub.load_all()

        def checked(is_over: bool) -> Any:
            if not is_over:
                raise refused(NOT_OVER)
            self._analyses.start(replay, path)
            return self._told(replay, path)

        return self._shelf.alone(lambda: self._shelf.replay(path).is_played_out).addCallback(checked)

    def stop(self, call: ApiCall) -> Any:
        replay, path = self._named(call)
        self._analyses.stop(replay)
        return self._told(replay, path)

    def _named(self, call: ApiCall) -> tuple[str, Path]:
        return call.path["id"], self._shelf.path(call.path["id"])

    def _told(self, replay: str, path: Path) -> Any:
        return self._shelf.alone(lambda: self._stored(path)).addCallback(lambda found: self._answer(replay, found))

    def _stored(self, path: Path) -> tuple[bool, dict[str, Any] | None]:
        """Whether the match is over, and what is stored about it."""
        replay = self._shelf.replay(path)
        if not replay.is_played_out:
            return False, None
        return True, None if self._analyst is None else self._analyst.told(path, replay)

    def _answer(self, replay: str, found: tuple[bool, dict[str, Any] | None]) -> dict[str, Any]:
        is_over, stored = found
        answer = {**NOTHING, **(stored or {})}
        step = self._analyses.step(replay)
        if step is not None and step.total:
            answer |= {"done": max(step.done, answer["done"]), "total": step.total}
        is_done = 0 < answer["total"] == answer["done"]
        status = "running" if step is not None else "done" if is_done else "begun" if answer["done"] else "none"
        reason = self._analyses.why_not_now(replay) if is_over else NOT_OVER
        return {"status": status, "why_not": reason, "note": self._analyses.note(replay), **answer}
