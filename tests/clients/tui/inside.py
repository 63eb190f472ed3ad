"""The full screen inside the test: keys through a pipe, what would reach the terminal as text, the screen as lines."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from kontor_games.clients.node.node_connection import NodeConnection
from kontor_games.clients.tui.app import FullScreen

PATIENCE = 90.0
KEYS = {
    "Enter": "\r", "Escape": "\x1b", "Tab": "\t", "Undo": "\x1a", "Redo": "\x19", "Leave": "\x03",
    "F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F9": "\x1b[20~",
}  # fmt: skip


class Bench:
    """One full screen under test."""

    def __init__(self, full: FullScreen, pipe: Any, sent: io.StringIO) -> None:
        self.full = full
        self.sent = sent
        self.running: asyncio.Task[None] | None = None
        self._pipe = pipe
        self.size = Size(rows=30, columns=100)

    def press(self, *keys: str) -> None:
        """Press keys by name; other words are typed."""
        for key in keys:
            self._pipe.send_text(KEYS.get(key, key))

    @property
    def text(self) -> str:
        """The lines of the screen as drawn last."""
        screen = self.full.app.renderer.last_rendered_screen
        if screen is None:
            return ""
        rows = (screen.data_buffer[row] for row in range(self.size.rows))
        return "\n".join("".join(row[column].char for column in range(self.size.columns)).rstrip() for row in rows)

    async def until(self, *words: str, without: str = "\0") -> str:
        """Wait until the screen shows all of these words, and not that one."""
        return await self.wait(lambda text: all(word in text for word in words) and without not in text, str(words))

    async def wait(self, good: Callable[[str], bool], otherwise: str) -> str:
        end = time.monotonic() + PATIENCE
        while not good(self.text):
            assert time.monotonic() < end, f"{otherwise}: not on the screen\n{self.text}"
            if self.running is not None and self.running.done():
                self.running.result()
                raise AssertionError("the screen was left")
            await asyncio.sleep(0.02)
        return self.text


@asynccontextmanager
async def bench(link: Any, match: str, seat: int | None = None, watching: bool = False) -> AsyncIterator[Bench]:
    """The full screen of a match, left at the end."""
    sent = io.StringIO()
    with create_pipe_input() as pipe:
        made: list[Bench] = []
        output = Vt100_Output(sent, lambda: made[0].size if made else Size(rows=30, columns=100), term="xterm-256color")
        full = FullScreen(NodeConnection(link, link.another), match, seat, watching, pipe, output)
        made.append(Bench(full, pipe, sent))
        running = made[0].running = asyncio.create_task(full.run())
        try:
            await made[0].until("Ctrl-C leave")
            yield made[0]
        finally:
            if not running.done():
                made[0].press("Leave")
            await asyncio.wait_for(running, PATIENCE)
