"""Every way the match can end really happens in play: the goldens (tests/engine/test_golden.py) end in all of them."""

from __future__ import annotations

import json

import pytest

from tests import golden

from .endings import ENDINGS, REASONS


@pytest.mark.parametrize("name", [name for name, *_ in ENDINGS])
def test_the_last_round_is_played_to_its_end(name: str) -> None:
    stored = json.loads(golden.path_of("yokohama", name).read_text(encoding="utf-8"))
    *_, last = golden.states(stored)
    assert stored["result"]["reason"] == REASONS[name]
    assert last.round == (last.final_round or last.switches.max_rounds)  # type: ignore[attr-defined]


def test_the_list_names_every_reason() -> None:
    assert set(REASONS.values()) == {"trading_houses", "shops", "port", "church", "customs", "rounds"}
    assert {row[0] for row in ENDINGS} == set(REASONS)
