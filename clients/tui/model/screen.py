"""What the person looks at: which pane shows what, how far it is scrolled, what was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kontor_games.clients.text.boards import render_wide
from kontor_games.clients.text.boards.spot import MapSpot
from kontor_games.clients.tui.draw.paint import paint, plain

from .action_places import spots_of
from .items import items_of
from .menu_rows import MenuRows
from .screen_menu import Menu, MenuItem
from .shown_match import ScreenMatch

TABS = {"log": "Log", "own": "You", "chat": "Chat", "table": "Table"}
BELOW = 4  # lines below a place that belong to it
MAX_WIDTHS = 8  # of a board kept drawn; a window that is being resized passes through many


class Screen:
    """The state of the screen; it draws nothing itself."""

    def __init__(self, session: ScreenMatch) -> None:
        self.session = session
        self.menu = Menu()
        self.tab = "log"
        self.sheet = ""  # what fills the whole body: board, log, chat, table, help, result; empty: the usual panes
        self.sheet_top = 0
        self.board_top = 0
        self.board_left = 0  # columns of a wide board that lie out of sight on the left
        self.side_up = 0  # how many lines the log is scrolled back
        self.is_talking = False  # the field is for chat
        self.has_mouse = True
        self.heard_chat = 0  # lines of chat that were seen
        self.board_rows = 1  # as drawn last
        self.board_lines = 1
        self.board_width = 1
        self.board_columns = 1  # of the longest line
        self.menu_rows = MenuRows()
        self.side_lines = 1
        self.sheet_rows = 1
        self.sheet_lines = 1
        self.sure_to_leave = False  # «bye» was said once
        self.ask_effect: Callable[[MenuItem], None] = lambda item: None
        self._boards: dict[int, list[str]] = {}  # by width, all of the same state
        self._drawn: Any = None
        self._followed: tuple[Any, ...] = ()
        self._was_over = False

    # ---- following the match

    def update(self) -> None:
        """The session has changed."""
        self.menu.fill(items_of(self.session))
        state = self.session.state
        if state is None:
            return
        was_over, self._was_over = self._was_over, state["status"] == "over"
        if self._was_over and not was_over:
            self.sheet, self.sheet_top = "result", 0
        if was_over and not self._was_over:
            self.sheet = ""
        if self.session.curtain is not None:
            self.sheet = ""
            self.is_talking = False
        if self.tab == "chat" or self.sheet == "chat":
            self.heard_chat = self._chat_end()

    @property
    def tabs(self) -> list[str]:
        """The tabs that this match has."""
        state = self.session.state
        own = [] if state is None or state["seat"] is None else ["own"]
        return ["log", *own, *(["chat"] if state is not None and state["kind"] == "net" else []), "table"]

    @property
    def can_talk(self) -> bool:
        return "chat" in self.tabs and not self.session.watching

    @property
    def unheard(self) -> int:
        """Lines of chat that came while another tab was open."""
        return max(0, self._chat_end() - self.heard_chat)

    def _chat_end(self) -> int:
        """How many lines were ever said; the node keeps only the last ones."""
        state = self.session.state
        return 0 if state is None else len(state["chat"])

    # ---- the board

    def board(self, width: int) -> list[str]:
        """The painted lines of the board."""
        state = self.session.state
        if state is None or state["view"] is None:
            return ["", "The match is being set up."]
        if self._drawn is not state or len(self._boards) > MAX_WIDTHS:
            self._drawn, self._boards = state, {}
        if width not in self._boards:
            self._boards[width] = render_wide({**state["view"], "names": self.session.names}, width, paint)
        return self._boards[width]

    def look_at_board(self, width: int, rows: int) -> list[str]:
        """The painted lines, about to be drawn in so many rows."""
        lines = self.board(width)
        self.board_rows, self.board_lines = rows, len(lines)
        self.board_width, self.board_columns = width, max(len(plain(line)) for line in lines)
        return lines

    def spots(self, width: int) -> list[MapSpot]:
        """Where on the board the marked action belongs; the board follows it when another is marked."""
        state, item = self.session.state, self.menu.marked
        if state is None or state["view"] is None or item is None or not item.text:
            return []
        view = {**state["view"], "names": self.session.names}
        spots = spots_of(view, item.target, self.board(width), width)
        key = (state["ply"], tuple(state["draft"]["texts"]), item.text, width)
        if spots and key != self._followed:
            self._follow(spots)
        self._followed = key
        return spots

    def _follow(self, spots: list[MapSpot]) -> None:
        """Bring the first of these places into sight, and as little else as possible out of it."""
        spot = spots[0]
        last = max(self.board_top + 1, self.board_top + self.board_rows - BELOW)
        if spot.row not in range(self.board_top, last):
            self.board_top = max(0, spot.row - self.board_rows // 2)
        if not self.board_left <= spot.start <= spot.end <= self.board_left + self.board_width:
            self.board_left = _within((spot.start + spot.end - self.board_width) // 2, self._last_column)

    @property
    def _last_column(self) -> int:
        """How far the board can be moved to the left."""
        return self.board_columns - self.board_width

    def scroll_board(self, lines: int) -> None:
        self.board_top = _within(self.board_top + lines, self.board_lines - self.board_rows)

    def pan_board(self, steps: int) -> None:
        """Move a board that is wider than its pane."""
        self.board_left = _within(self.board_left + steps, self._last_column)

    # ---- the other panes

    def next_tab(self, step: int) -> None:
        tabs = self.tabs
        self.tab = tabs[(tabs.index(self.tab) + step) % len(tabs)] if self.tab in tabs else tabs[0]
        self.side_up = 0
        self.update()

    def scroll_side(self, lines_back: int, rows: int = 1) -> None:
        self.side_up = _within(self.side_up + lines_back, self.side_lines - rows)

    def open(self, sheet: str) -> None:
        """Let one thing fill the body; the same again closes it."""
        self.sheet = "" if self.sheet == sheet else sheet
        self.sheet_top = 1_000_000 if sheet in ("log", "chat") else 0  # the end, as far as there is one
        self.update()

    def scroll_sheet(self, lines: int) -> None:
        top = min(self.sheet_top, max(0, self.sheet_lines - self.sheet_rows))
        self.sheet_top = _within(top + lines, self.sheet_lines - self.sheet_rows)

    def scroll(self, lines: int) -> None:
        """Scroll what is largest: the sheet, else the board."""
        if self.sheet not in ("", "board"):
            self.scroll_sheet(lines)
        else:
            self.scroll_board(lines)

    @property
    def page(self) -> int:
        return max(1, (self.sheet_rows if self.sheet else self.board_rows) - 2)

    def effect(self, item: MenuItem) -> str | None:
        """What an item does, as far as the node has told."""
        return item.effect if item.effect is not None else self.session.effect_of(item.text)


def _within(value: int, last: int) -> int:
    return max(0, min(value, last))


Draw = Callable[[Screen, int, int], list[Any]]  # a pane: the screen, columns and rows make lines
