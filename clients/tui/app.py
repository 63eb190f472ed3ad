"""The full screen itself: the parts put together, run until the person leaves."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.output import ColorDepth, Output

from kontor_games.clients.node.node_connection import NodeConnection
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.text.terminal import Terminal
from kontor_games.clients.tui.draw.paint import STYLE
from kontor_games.clients.tui.model.orders import Orders
from kontor_games.clients.tui.model.screen import Screen
from kontor_games.clients.tui.model.shown_match import NODE_AWAY, ScreenMatch
from kontor_games.clients.tui.model.talk import AWAY, Talk
from kontor_games.clients.tui.panes.layout import Panes

from .draw import fit
from .keys import bindings

ESCAPE_SECONDS = 0.1  # how long an Escape may be the beginning of another key
MAX_FIELD = 500


def run(node: NodeConnection, match: str, seat: int | None, watching: bool) -> int:
    """Play or watch a match; the exit code. Without a seat: all seats of ours, in turn if there are several."""
    terminal = Terminal()
    reason = fit.why_not()
    if reason is not None:
        terminal.wrapped(f"{reason} The plain mode works here: leave out the full screen.")
        return 2
    full = FullScreen(node, match, seat, watching)
    try:
        asyncio.run(full.run())
    except Refused as refused:
        terminal.wrapped(f"Not possible: {refused}")
        return 2
    except AWAY:
        terminal.wrapped(NODE_AWAY)
        return 2
    terminal.wrapped(full.goodbye())
    return 0


class FullScreen:
    """One match on one terminal; tests hand in their own input and output."""

    def __init__(
        self,
        node: NodeConnection,
        match: str,
        seat: int | None,
        watching: bool,
        given: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._talk = Talk(node)
        self.session = ScreenMatch(self._talk, match, seat, watching)
        self.screen = Screen(self.session)
        self._tasks: set[asyncio.Task[None]] = set()
        self._field = Buffer(multiline=False, on_text_changed=self._typed)
        self._orders = Orders(self.screen, self._later, self._leave)
        panes = Panes(self.screen, self._field, self._orders.click)
        self.app: Application[None] = Application(
            layout=panes.layout,
            key_bindings=bindings(self.screen, self._orders, self._field),
            style=STYLE,
            color_depth=ColorDepth.DEPTH_1_BIT if "NO_COLOR" in os.environ else None,
            full_screen=True,
            mouse_support=Condition(lambda: self.screen.has_mouse),
            refresh_interval=1.0,  # seconds of waiting are counted in sight
            input=given,
            output=output,
        )
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = ESCAPE_SECONDS
        self.session.changed = self._changed
        self.session.turn_came = self._turn_came

    async def run(self) -> None:
        """Until the person leaves."""
        try:
            await self.session.begin()
            self._talk.listen(lambda event: self._later(self.session.heard(event)))
            await self.app.run_async(handle_sigint=False, set_exception_handler=False)
        finally:
            for task in self._tasks:
                task.cancel()
            self._talk.close()

    def goodbye(self) -> str:
        """How to come back."""
        state = self.session.state
        if state is not None and state["status"] == "over":
            where = f" Its file: {self.session.file}" if self.session.file else ""
            again_ = "" if self.session.watching else f" To play again: {self.session.back('rematch')}"
            return f"The match is over; it stays among the replays.{where}{again_}"
        back = self.session.back("screen")
        if self.session.watching:
            return f"You have stopped watching. To watch again: {back}"
        return f"The match is saved and goes on. To come back: {back}"

    def _later(self, what: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and self.app.is_running:
            self.app.exit(exception=error)  # a defect must be seen, not hang

    def _leave(self) -> None:
        if self.app.is_running:
            self.app.exit()

    def _typed(self, field: Buffer) -> None:
        if len(field.text) > MAX_FIELD:
            field.text = field.text[:MAX_FIELD]
        elif not self.screen.is_talking:
            self.screen.menu.type(field.text if not field.text.startswith("/") else "")

    def _changed(self) -> None:
        self.screen.update()
        if self.session.wants_verdict:
            self._later(self.session.judge())
        self.app.invalidate()

    def _turn_came(self) -> None:
        state = self.session.state
        if state is not None and state["kind"] == "net" and self.app.is_running and sys.stdout.isatty():
            self.app.output.bell()
