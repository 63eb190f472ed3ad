"""Sentences of Yokohama, word by word."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games.clients.text.phrases import Words


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"event": "AgentGained", "seat": 0, "country": 0}, "You gain an American agent."),
        ({"event": "AgentGained", "seat": 1, "country": 2}, "Bruno gains a British agent."),
        ({"event": "FeePaid", "seat": 1, "to": 0, "yen": 1}, "Bruno pays ¥1 to you."),
        ({"event": "PresidentMoved", "seat": 0, "how": "walk", "area": 8}, "Your president walks to the Bank."),
        ({"event": "PresidentMoved", "seat": 1, "how": "tram", "area": 15},
         "Bruno’s president rides the tram to Port A."),
        ({"event": "Gained", "seat": 0, "count": 2, "what": "import"}, "You gain 2 imports."),
        ({"event": "Spent", "seat": 1, "count": 1, "what": "silk"}, "Bruno pays one silk."),
        ({"event": "OrderTaken", "seat": 0, "card": 20}, "You take the British order (3 tea, 2 fish)."),
        ({"event": "RewardChosen", "seat": 0, "token": 2}, "You take the token with the British flag."),
        ({"event": "Scored", "seat": 0, "points": 1, "category": "achievements"},
         "You score one point for an achievement."),
        ({"event": "TurnBegan", "seat": 0, "round": 3}, "Round 3: You begin a turn."),
    ],
)  # fmt: skip
def test_events_say_you_to_the_reader_and_name_things_as_people_do(event: dict[str, Any], said: str) -> None:
    assert Words("yokohama", ["Anna", "Bruno"], you=0).event(event) == said
