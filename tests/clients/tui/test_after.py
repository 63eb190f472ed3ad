"""The full screen before and after a match: the guide, the end with its file, playing again; no needless request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess, new_match, state_where

from .inside import bench

ANNA, BOT = {"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    made = NodeProcess(tmp_path_factory.mktemp("home")).start()
    yield made
    made.close_links()
    made.end()


def test_a_guide_is_read_on_and_left(node: NodeProcess) -> None:
    match = node.link().post("guides", {"game": "osaka"})["id"]

    async def test() -> None:
        async with bench(node.link(), match) as screen:
            await screen.until("Guide, 1 of ", "Read on", "Go on without the guide", without="Choose the red token")
            screen.press("Enter")
            await screen.until("Guide, 2 of ", "Read on")
            while "Choose the red token" not in screen.text:
                step = screen.text.partition("Guide, ")[2][:2]
                screen.press("Enter")
                await screen.until("Guide, ", without=f"Guide, {step}")
            screen.press("/alone", "Enter")
            await screen.until("Choose the red token", without="Guide, ")

    asyncio.run(test())


def test_the_end_names_the_file_and_what_it_proves_and_the_match_can_be_played_again(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", [ANNA, BOT], seed="again", options={"tokens_to_end": 6})
    link.post(f"matches/{match}/bye")
    over = state_where(link, match, lambda state: state["status"] == "over")

    async def test() -> None:
        async with bench(node.link(), match) as screen:
            await screen.until("Winner", "The whole match is in", over["file"], "Its file is verified")
            screen.press("Escape")
            await screen.until("Play again", "Show the result", "seats rotate by one")
            screen.press("Enter")
            await screen.until("Your turn", "What you can do", without="Play again")
            assert screen.full.session.match != match
            assert [seat["name"] for seat in link.get(f"matches/{screen.full.session.match}")["seats"]] == [
                "Carl",
                "Anna",
            ]

    asyncio.run(test())


def test_what_one_does_oneself_is_not_fetched_again(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", [ANNA, BOT], seed="once")
    asked: list[str] = []
    ask = link.ask

    def counted(method: str, path: str, body: object) -> Any:
        asked.append(f"{method} {path.partition('?')[0]}")
        return ask(method, path, body)

    link.ask = counted  # type: ignore[method-assign]

    async def test() -> None:
        async with bench(link, match) as screen:
            await screen.until("Choose the red token")
            await asyncio.sleep(1.0)  # whatever is still on its way from the beginning
            asked.clear()
            screen.press("Enter")
            await screen.until("Draft: You start with a red token.")
            screen.press("Undo")
            await screen.until("Draft: nothing yet")
            await asyncio.sleep(1.0)  # the events of the draft come back
            assert [each for each in asked if "explain" not in each] == [
                f"POST matches/{match}/draft",
                f"POST matches/{match}/undo",
            ]

    asyncio.run(test())
