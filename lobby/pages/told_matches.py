"""Published matches as the JSON API and the feed tell them. Values in, values out; names are text, never markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

import msgspec

from kontor_games.net.api.http.to_json import to_json
from kontor_games.net.api.routes.told_replay import told_verdict

from .published_files import PublishedMatch

FEED_LENGTH: Final = 50


class MatchTeller:
    """Tells matches, with the titles of games and the address of these pages."""

    def __init__(self, titles: Mapping[str, str], lobby: str, base: str) -> None:
        self._titles = titles
        self.lobby = lobby
        self._base = base

    def row(self, match: PublishedMatch) -> dict[str, Any]:
        """A match in a list."""
        report = match.report
        result = report.result or {}
        scores, places = result.get("scores") or (), result.get("places") or ()
        return {
            "id": match.id,
            "game": report.game,
            "title": self._titles.get(report.game, report.game),
            "seats": [
                {
                    "name": name,
                    "score": scores[seat] if seat < len(scores) else None,
                    "place": places[seat] if seat < len(places) else None,
                }
                for seat, name in enumerate(report.players)
            ],
            "plies": report.plies,
            "verdict": report.line,
            "published": match.at,
            "page": f"/match/{match.id}",
        }

    def whole(self, match: PublishedMatch) -> dict[str, Any]:
        """A match by itself."""
        keys = {peer["fingerprint"]: peer["key"] for peer in match.report.peers}
        verdict = told_verdict(match.report, f"{match.id}.kontor")
        verdict["players"] = [{**player, "key": keys[player["fingerprint"]]} for player in verdict["players"]]
        return {
            **self.row(match),
            "verdict": verdict,
            "match": match.report.match,
            "file": f"/files/{match.id}.kontor",
            "size": match.size,
            "replay": f"/api/1/matches/{match.id}/replay",
        }

    def headline(self, match: PublishedMatch) -> str:
        """A match in a line: game, names and points."""
        row = self.row(match)
        seats = [each["name"] + ("" if each["score"] is None else f" {each['score']}") for each in row["seats"]]
        return _plain(f"{row['title']}: {', '.join(seats)}")

    def feed(self, matches: Sequence[PublishedMatch]) -> bytes:
        """The newest matches as an Atom feed."""
        newest = matches[:FEED_LENGTH]
        lines = [
            '<?xml version="1.0" encoding="utf-8"?>',
            '<feed xmlns="http://www.w3.org/2005/Atom">',
            f"<title>{escape(_plain(self.lobby))}</title>",
            f"<id>{escape(self._base)}/</id>",
            f"<link href={quoteattr(self._base + '/')}/>",
            f'<link rel="self" type="application/atom+xml" href={quoteattr(self._base + "/feed.atom")}/>',
            f"<updated>{_time(newest[0].at if newest else 0)}</updated>",
            "<author><name>Kontor</name></author>",
        ]
        for match in newest:
            lines += [
                "<entry>",
                f"<title>{escape(self.headline(match))}</title>",
                f"<id>urn:kontor:match:{match.id}</id>",
                f"<link href={quoteattr(f'{self._base}/match/{match.id}')}/>",
                f"<updated>{_time(match.at)}</updated>",
                f'<summary type="text">{escape(_plain(match.report.line))}</summary>',
                "</entry>",
            ]
        return "\n".join([*lines, "</feed>", ""]).encode()


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _plain(text: str) -> str:
    """Without characters that steer a screen or that XML does not have."""
    told: str = msgspec.json.decode(to_json(text))
    return "".join(each for each in told if each >= " " and each not in "\ufffe\uffff")
