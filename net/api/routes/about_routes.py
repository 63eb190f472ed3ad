"""Routes about the node itself: hello, games, links for browsers, settings."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kontor_games import engine
from kontor_games.net.api.http.api_errors import bad_request
from kontor_games.net.api.http.router import ApiCall, Route
from kontor_games.net.api.matches.agreement import all_choices
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.player_settings import Settings, SettingsFile
from kontor_games.net.wire.identity import fingerprint, fingerprint_words
from kontor_games.net.wire.text import why_not_name

API_VERSION: Final = 1


class AboutRoutes:
    """What can be asked about the node."""

    def __init__(self, hub: Hub, key: bytes, settings: SettingsFile) -> None:
        self._hub = hub
        self._key = key
        self._settings = settings
        self.port = 0

    def routes(self) -> list[Route]:
        return [
            Route("GET", "hello", self.hello, seat=True),
            Route("GET", "games", self.games, seat=True),
            Route("POST", "links", self.link),
            Route("GET", "settings", self.settings),
            Route("PUT", "settings", self.change_settings, Settings),
        ]

    def hello(self, call: ApiCall) -> dict[str, Any]:
        node = {
            "name": self._settings.called,
            "key": self._key.hex(),
            "fingerprint": fingerprint(self._key),
            "words": fingerprint_words(self._key).split(" "),
        }
        return {
            "version": API_VERSION,
            "software": self._hub.setup.software,
            "node": node,
            "scope": call.scope.as_dict(),
            "bots": list(self._hub.setup.bot_kinds),
            "recovery": all_choices(self._hub.wording),
            "last": self._hub.feed.last,
        }

    def games(self, call: ApiCall) -> dict[str, Any]:
        return {"games": [self._game(engine.load(game)) for game in engine.game_ids()]}

    def _game(self, game: engine.Game[Any]) -> dict[str, Any]:
        return {
            "id": game.id,
            "title": game.title,
            "seats": list(game.seats),
            "options": [
                {
                    "id": option.id,
                    "default": option.default,
                    "allowed": list(option.allowed) or None,
                    "text": option.text,
                }
                for option in game.options
            ],
            "help": self._hub.wording.help(game.id),
            "guided": self._hub.wording.guide(game.id) is not None,
            "rules": self._hub.wording.rules(game.id),
            "terms": self._hub.wording.terms(game.id),
            "forms": sorted(game.notation.forms.values()),
        }

    def link(self, call: ApiCall) -> dict[str, Any]:
        """A link that signs in one browser."""
        return {"url": f"http://127.0.0.1:{self.port}/enter/{self._hub.tokens.new_link()}", "seconds": 60}

    def settings(self, call: ApiCall) -> dict[str, Any]:
        return {**dict.fromkeys(("name", "lobby", "theme", "language"), ""), "client": {}, **_plain(self._settings)}

    def change_settings(self, call: ApiCall) -> dict[str, Any]:
        value: Settings = call.body
        reason = why_not_name(value.name) if value.name else None
        if reason:
            raise bad_request(reason)
        self._settings.write(value)
        return self.settings(call)


def _plain(file: SettingsFile) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(file.value)
    return plain
