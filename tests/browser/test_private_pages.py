"""A real ladder on a lobby's pages in a real browser, and nothing on any page that is not for everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from kontor_games.lobby.ladder.ladder_desk import LadderDesk, ask_to_hide, put_in_queue
from kontor_games.lobby.ladder.ladder_rules import HOUR, LadderRules
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.lobby_messages import MakeTable, Say, TableCard
from kontor_games.net.wire.messages import Enter, Sit
from kontor_games.net.wire.people_messages import Appear
from tests.lobby.pages.served import PagesProcess
from tests.worlds.ladder_files import KEEPER, file_of, rated_match
from tests.worlds.lobby_hall import Node
from tests.worlds.quick_algebra import remembered
from tests.worlds.world import identity

from . import axe
from .driver import Browser
from .test_hostile import NAMES
from .test_pages import check, looking

pytestmark = pytest.mark.browser
REMOVED = "Removed Rita"
PEOPLE = {0: NAMES[0], 1: NAMES[3], 2: REMOVED}
LOADED = (
    "return performance.getEntriesByType('resource').map((each) => new URL(each.name))"
    ".map((url) => url.pathname + url.search)"
)
ROWS = "return [...document.querySelectorAll('tbody tr')].map((row) => row.textContent)"


class RealLadder(NamedTuple):
    """A lobby that shows a ladder made of real matches, from which a name was removed."""

    pages: PagesProcess
    desk: LadderDesk


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLadder]:
    folder = tmp_path_factory.mktemp("real")
    with remembered():
        pairs = ((0, 1), (1, 0), (1, 2))
        files = [file_of(rated_match("joban", pair, f"pages {n}", names=PEOPLE)) for n, pair in enumerate(pairs)]
    desk = LadderDesk(folder / "ladder", LadderRules(KEEPER.key.hex(), since=0, provisional=2), KEEPER, NAMES[2])
    try:
        for at, data in enumerate(files):
            put_in_queue(folder / "ladder", data, at)
        ask_to_hide(folder / "ladder", identity(2).key.hex(), len(files))
        while not desk.is_idle():
            desk.work(HOUR, 0.05)
        desk.work(HOUR)
    finally:
        desk.close()
    made = PagesProcess(folder / "data", (), f'ladder = "{desk.published}"')
    made.wait_for_matches(2)
    yield RealLadder(made, desk)
    made.stop()


def everything(window: Browser, pages: PagesProcess) -> str:
    """What the page shows, its own text, and every answer that it was given."""
    shown = str(window.run("return document.documentElement.outerHTML"))
    paths = [str(window.run("return location.pathname")), *window.run(LOADED)]
    return "\n".join([shown, *(pages.get(path).body.decode(errors="replace") for path in paths)])


@pytest.mark.parametrize("size", ["desk", "phone"])
@ensureDeferred
async def test_pages_of_a_real_ladder_say_what_it_says_and_nothing_private(
    real: RealLadder, browser: Browser, size: str
) -> None:
    pages, text = real.pages, axe.axe_text()
    eve, ben, shy = Node("Open Eve"), Node("Secret Ben"), Node("Shy Cleo")
    await eve.come(pages.port, pages.key, source="127.0.0.77")
    await ben.come(pages.port, pages.key, source="127.0.0.78")
    await shy.come(pages.port, pages.key, source="127.0.0.79")
    await eve.ask(Appear("everybody"))
    await eve.ask(Say("hall", "a line in the hall"))
    table = (await eve.ask(MakeTable("joban", {}, 3, note="come in"))).table
    await eve.ask(Sit(table, 0, "Open Eve"))
    await shy.ask(Enter(table))
    await shy.ask(Sit(table, 1, "Shy Cleo"))
    await shy.ask(Say(table, "a line at the table"))
    hidden = (await ben.ask(MakeTable("yokohama", {}, 3, "invite", note="a hidden note"))).table
    card = await ben.hears(TableCard, lambda event: event.table == hidden)
    keys = [key for node in (eve, ben, shy) for key in (node.identity.key.hex(), fingerprint(node.identity.key))]
    words = ["Secret Ben", "Shy Cleo", "a line in the hall", "a line at the table", "a hidden note", REMOVED]
    places = ["127.0.0.77", "127.0.0.78", "127.0.0.79", str(pages.data), str(real.desk.published.parent)]
    secrets = [*keys, *words, *places, table, hidden, card.code]
    assert all(secrets)

    def look() -> None:
        rows = real.desk.ladder.said()["boards"][0]["people"]
        public = next(row for row in rows if row["name"] == PEOPLE[1])
        match = pages.wait_for_matches(2)[0]["page"]
        nameless = f"/player/{identity(2).key.hex()}"
        steps: list[tuple[str, Callable[[], None]]] = [
            ("/", lambda: window.wait("return document.body.textContent.includes('Open Eve')")),
            ("/ladder", lambda: window.wait_for(".ladder-table tbody tr")),
            (f"/player/{public['key']}", lambda: window.wait_for("[data-section=matches] a")),
            (nameless, lambda: window.wait_for("[data-section=matches] li")),
            (f"{match}#5", lambda: window.wait_for(".verdict.verified")),
        ]
        with looking(browser, size) as window:
            for path, wait in steps:
                window.open(f"{pages.base}{path}")
                wait()
                told = everything(window, pages)
                assert [secret for secret in secrets if secret in told] == [], path
                check(window, text)
                if path == "/ladder":
                    shown = window.run(
                        "return [...document.querySelectorAll('tbody tr')].map((row) => row.textContent)"
                    )
                    assert len(shown) == len(rows) == 3
                    for seen, row in zip(shown, rows, strict=True):
                        assert row["name"] in seen and f"{row['points']}" in seen and f"{row['matches']}" in seen
            for path in ("/feed.atom", "/ladder/ladder.json", "/api/1/matches"):
                told = pages.get(path).body.decode()
                assert [secret for secret in secrets if secret in told] == [], path

    await deferToThread(look)
    for node in (eve, ben, shy):
        await node.leave()
