"""What is told of whole matches of Merchants of Osaka, by aimless and by greedy players."""

from __future__ import annotations

import re

import pytest

from kontor_games.clients.text.phrases import Words
from kontor_games.engine import LocalMatch, event_dict, load
from tests.engine.playouts import policies, steps

from .menu_reader import NAMES, spoken


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_a_match_is_told_to_its_players_without_codes(policy: str) -> None:
    match = LocalMatch(load("osaka"), {}, 3, b"told")
    for _, _, _, events in steps(match, policies(policy, 3, b"told"), 400):
        for event in events:
            for you in (None, 0):
                said = Words("osaka", NAMES, you=you).event(event_dict(event))
                assert spoken(said).endswith(".") and not said[0].islower(), said
                assert not re.search(r"\b[Yy]ou (takes|lays|buys|gets|sells|gains|loses|is|has)\b", said), said
