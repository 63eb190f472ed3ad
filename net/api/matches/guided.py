"""A guided match: a local match with a file beside it that says how far its guide has come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.http.api_errors import refused
from kontor_games.net.system.private_file import write_private

from .draft import Draft
from .guide import Entry, Guide, GuideScript
from .wording import Wording


def script_of(wording: Wording, game: str) -> GuideScript:
    """The script of a game's guide; ConfigError if it has none."""
    found = wording.guide(game)
    if found is None:
        raise ConfigError(f"there is no guided match of {game}")
    return msgspec.convert(found, GuideScript)


class Guided:
    """The guide of one match: asked before something is done, told after it, kept on the disk."""

    def __init__(self, path: Path, guide: Guide) -> None:
        self._path = path
        self._guide = guide

    @classmethod
    def begin(cls, path: Path, script: GuideScript) -> Guided:
        """This match is guided from the first step on."""
        guided = cls(path, Guide(script))
        guided._save()
        return guided

    @classmethod
    def load(cls, path: Path, wording: Wording, game: str) -> Guided | None:
        """The guide of a match from before the restart, None if it has none."""
        try:
            return cls(path, Guide(script_of(wording, game), int(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, ConfigError):
            return None

    def check(self, menu: list[Entry], text: str) -> None:
        """Refuse, kindly, a choice that the guide does not wait for."""
        if (reason := self._guide.why_not(menu, text)) is not None:
            raise refused(reason)

    def check_commit(self, draft: Draft) -> None:
        """Refuse, kindly, to end a turn that the guide has not done with."""
        if (reason := self._guide.why_not_commit(draft.must_commit)) is not None:
            raise refused(reason)

    def drafted(self) -> None:
        """A choice was drafted."""
        self._guide.drafted()
        self._save()

    def undone(self, draft: Draft) -> None:
        """Something was taken back."""
        self._guide.undone(sum(not step.forced for step in draft.steps))
        self._save()

    def committed(self) -> None:
        """The turn is being played."""
        self._guide.committed()
        self._save()

    def is_turn(self) -> None:
        """It is the person's turn, and nothing was chosen yet."""
        self._guide.turn_began()
        self._save()

    def read(self) -> None:
        """The person has read the step."""
        self._guide.read()
        self._save()

    def end(self) -> None:
        """The person goes on alone."""
        self._guide.end()
        self._save()

    def shown(self, menu: list[Entry]) -> dict[str, Any] | None:
        """The step for clients; None when the guide is done."""
        return self._guide.shown(menu)

    def _save(self) -> None:
        if self._guide.is_done:
            self._path.unlink(missing_ok=True)
        else:
            write_private(self._path, str(self._guide.place))
