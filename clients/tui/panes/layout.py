"""Where the panes are: beside each other where the board leaves room, else below each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Container,
    DynamicContainer,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    VSplit,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from kontor_games.clients.tui.draw.fitted_text import Line, wrapped
from kontor_games.clients.tui.model.screen import Draw, Screen

from . import acts, board, body, foot, head, side

NEEDS = {"osaka": 69, "joban": 69, "hansa": 100}  # columns in which a board reads well; others need more
WIDE_NEED = 98
SIDE, SIDE_MOST = 30, 46
LEAST = (60, 16)


@dataclass(frozen=True)
class Plan:
    """The sizes of the panes."""

    beside: bool
    side: int  # columns of menu and log, where they stand beside the board
    bottom: int  # rows of menu and log, where they stand below it
    detail: int  # rows of what the marked item does, and of the draft
    acts: int = 0  # rows of the menu, where it stands above the log


def plan(game: str, columns: int, rows: int) -> Plan:
    """The sizes for a terminal of this size."""
    detail = 2 if rows >= 28 else 1
    side_room = columns - NEEDS.get(game, WIDE_NEED) - 1
    body_rows = rows - 4 - 2 * detail
    bottom = max(4, min(14, (body_rows - 1) * 9 // 25))
    return Plan(side_room >= SIDE, min(SIDE_MOST, side_room), bottom, detail, max(4, (body_rows - 2) * 11 // 20))


class Pane(UIControl):
    """One pane: drawn by a function of the screen; the mouse is told to `clicked` and `scrolled`."""

    def __init__(
        self,
        screen: Screen,
        draw: Draw,
        clicked: Callable[[int, int, int], None] | None = None,
        scrolled: Callable[[int], None] | None = None,
    ) -> None:
        self._screen, self._draw, self._clicked, self._scrolled = screen, draw, clicked, scrolled
        self._width = 1

    def create_content(self, width: int, height: int) -> UIContent:
        self._width = width
        lines: list[Line] = self._draw(self._screen, width, height)[:height] or [[("", "")]]
        return UIContent(get_line=lambda number: list(lines[number]), line_count=len(lines), show_cursor=False)

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        kind = mouse_event.event_type
        if kind is MouseEventType.MOUSE_UP and self._clicked is not None:
            self._clicked(mouse_event.position.x, mouse_event.position.y, self._width)
        elif kind is MouseEventType.SCROLL_UP and self._scrolled is not None:
            self._scrolled(-3)
        elif kind is MouseEventType.SCROLL_DOWN and self._scrolled is not None:
            self._scrolled(3)
        # Nothing is returned: the field at the bottom keeps the focus, whatever is clicked


class Panes:
    """All windows, made once, and how they are put together for the present size."""

    def __init__(self, screen: Screen, field: Buffer, do_at: Callable[[int], None]) -> None:
        self._screen = screen

        def one(draw: Draw) -> Window:
            return Window(Pane(screen, draw), height=1)

        def in_menu(x: int, y: int, width: int) -> None:
            place = screen.menu_rows.place_at(x, y, width)
            if place is not None:
                do_at(place)

        def tabs(x: int, y: int, width: int) -> None:
            screen.next_tab(1)

        self._board = Window(Pane(screen, board.board, scrolled=screen.scroll_board))
        self._menu = Window(Pane(screen, acts.menu, in_menu, screen.menu.move), wrap_lines=False)
        self._side = Window(
            Pane(
                screen,
                side.side,
                scrolled=lambda lines: screen.scroll_side(lines if screen.tab in side.FROM_THE_TOP else -lines),
            )
        )
        self._sheet = Window(Pane(screen, body.sheet, scrolled=screen.scroll))
        self._scores, self._acts_title = one(head.scores), one(acts.title)
        self._side_title = Window(Pane(screen, side.title, tabs), height=1)
        self._prompt = BufferControl(field, input_processors=[BeforeInput(self._before, "class:prompt")])
        self._field = Window(self._prompt, height=1)
        self._detail = Window(Pane(screen, acts.detail), height=lambda: self._plan.detail)
        self._draft = Window(Pane(screen, acts.draft), height=lambda: self._plan.detail)
        self._arranged: tuple[Plan, Container] | None = None
        small = Condition(lambda: self._is_too_small)
        alone = Condition(lambda: bool(screen.sheet) or screen.session.curtain is not None)
        self.layout = Layout(
            HSplit(
                [
                    ConditionalContainer(Window(Pane(screen, _too_small)), small),
                    ConditionalContainer(
                        HSplit(
                            [
                                one(head.bar),
                                DynamicContainer(self._body),
                                ConditionalContainer(HSplit([self._detail, self._draft]), ~alone),
                                self._field,
                                one(foot.keys),
                            ]
                        ),
                        ~small,
                    ),
                ]
            ),
            self._field,
        )
        self._sheet_body = HSplit([one(body.sheet_title), self._sheet])
        self._curtain = Window(Pane(screen, body.curtain))

    def _before(self) -> str:
        return " say> " if self._screen.is_talking else " > "

    @property
    def _size(self) -> tuple[int, int]:
        size = get_app().output.get_size()
        return size.columns, size.rows

    @property
    def _is_too_small(self) -> bool:
        columns, rows = self._size
        return columns < LEAST[0] or rows < LEAST[1]

    @property
    def _plan(self) -> Plan:
        return plan(str(self._screen.session.game.get("id", "")), *self._size)

    def _body(self) -> Container:
        if self._screen.session.curtain is not None:
            return self._curtain
        if self._screen.sheet:
            return self._sheet_body
        sizes = self._plan
        if self._arranged is None or self._arranged[0] != sizes:
            self._arranged = (sizes, self._beside(sizes) if sizes.beside else self._below(sizes))
        return self._arranged[1]

    def _beside(self, sizes: Plan) -> Container:
        return VSplit(
            [
                HSplit([self._scores, self._board]),
                _bar(),
                HSplit(
                    [
                        self._acts_title,
                        HSplit([self._menu], height=sizes.acts),
                        self._side_title,
                        self._side,
                    ],
                    width=sizes.side,
                ),
            ]
        )

    def _below(self, sizes: Plan) -> Container:
        return HSplit(
            [
                self._scores,
                self._board,
                VSplit(
                    [
                        HSplit([self._acts_title, self._menu]),
                        _bar(),
                        HSplit([self._side_title, self._side], width=lambda: self._size[0] * 2 // 5),
                    ],
                    height=sizes.bottom + 1,
                ),
            ]
        )


def _bar() -> Window:
    return Window(width=1, char="\N{BOX DRAWINGS LIGHT VERTICAL}", style="class:rule")


def _too_small(screen: Screen, width: int, height: int) -> list[Line]:
    text = f"This needs {LEAST[0]} columns and {LEAST[1]} rows at least, better 100 and 30. Make the window larger."
    return [[("", line)] for line in wrapped(text, width)]
