"""A smoke match in Firefox: the client needs nothing that only one browser has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.net.api.kit import NodeProcess

from ..person import Person
from ..play import CAN, ask, new_match, set_pace, sign_in
from .firefox import Firefox, program

pytestmark = [pytest.mark.browser, pytest.mark.long]

NAMES = ["Annabel", "Bertram"]
MATCHES = {"osaka": {"tokens_to_end": 6}, "hansa": {"max_rounds": 2}, "joban": {}, "yokohama": {"max_rounds": 2}}
ERRORS = """
window.errors = [];
addEventListener('error', (event) => window.errors.push(event.message));
addEventListener('unhandledrejection', (event) => window.errors.push(String(event.reason)));
addEventListener('securitypolicyviolation', (event) => window.errors.push(event.violatedDirective));
"""


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    if program() is None:
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    with Firefox() as window:
        yield window


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    made = NodeProcess(Path(tmp_path_factory.mktemp("home"))).start()
    set_pace(made, "off")
    yield made
    made.end()


@pytest.mark.parametrize("game", MATCHES)
def test_a_match_is_played_to_its_end_in_firefox(firefox: Firefox, home: NodeProcess, game: str) -> None:
    address = sign_in(firefox, home)
    match = new_match(home, game, NAMES, MATCHES[game], seed=f"firefox {game}")
    firefox.run(ERRORS)
    firefox.run("location.hash = arguments[0]", f"#/match/{match}")
    firefox.wait_for(CAN)
    counts = Person(firefox, NAMES, f"firefox {game}").play(1500)
    assert counts.over and ask(home, f"matches/{match}")["status"] == "over", address
    assert counts.scrolls == [] and counts.code == set()
    firefox.wait_for(".ending [data-end=replay]")  # a match without points before its end has no curve
    assert firefox.run("return window.errors") == []
