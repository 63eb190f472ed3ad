"""Routes of guided first matches: begin one, read on, go on alone."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import permutations
from typing import Any, Literal

from msgspec import Struct

from kontor_games.net.api.http.api_errors import ApiError, bad_request, refused
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.guided import script_of
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.player_settings import SettingsFile
from kontor_games.net.api.matches.shown_local import person_kind
from kontor_games.net.record.local_match import seed_from
from kontor_games.net.wire.text import same_name

from .match_routes import Word

LEARNERS = "novice"  # the bots against which people learn
BOTS = ("Mira", "Tomas", "Elise", "Jonas", "Anke", "Piet", "Lene", "Veit")


class NewGuide(Struct, forbid_unknown_fields=True):
    """The game to learn."""

    game: Word


class GuideWish(Struct, forbid_unknown_fields=True):
    """What the person wants of the guide."""

    do: Literal["next", "end"]


class GuideRoutes:
    """What can be asked about guides."""

    def __init__(self, hub: Hub, settings: SettingsFile) -> None:
        self._hub = hub
        self._settings = settings

    def routes(self) -> list[Route]:
        return [
            Route("POST", "guides", self.create, NewGuide),
            Route("POST", "matches/{id}/guide", self.go_on, GuideWish),
        ]

    def create(self, call: ApiCall) -> dict[str, Any]:
        """A guided match of its own; one that was begun before and not finished is left as it is."""
        game = call.body.game
        if self._hub.wording.guide(game) is None:
            raise bad_request(f"there is no guided match of {game}")
        script = script_of(self._hub.wording, game)
        me = self._settings.called
        bots = [name for name in BOTS if not same_name(name, me)]
        kinds = self._hub.setup.bot_kinds
        kind = LEARNERS if LEARNERS in kinds else kinds[0]
        mine, options = (me, person_kind("me")), dict(script.options)
        # Whoever did not finish the last lesson meets the same cards and moves again, under other names.
        for names in permutations(bots, script.seats - 1):
            seats = [mine, *((name, kind) for name in names)]
            with suppress(ApiError):
                return {"id": self._hub.new_local(game, options, seats, seed_from(script.seed), script).id}
        return {"id": self._hub.new_local(game, options, seats, os.urandom(32), script).id}

    def go_on(self, call: ApiCall) -> dict[str, Any]:
        shown = self._hub.match(call.path["id"])
        if shown.guided is None:
            raise refused("this match has no guide")
        if call.body.do == "next":
            shown.guided.read()
        else:
            shown.guided.end()
        self._hub.match_changed(shown)
        return {}
