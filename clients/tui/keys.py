"""Which key does what."""

from __future__ import annotations

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from kontor_games.clients.tui.model.orders import Orders
from kontor_games.clients.tui.model.screen import Screen
from kontor_games.clients.tui.panes.side import FROM_THE_TOP


def bindings(screen: Screen, orders: Orders, field: Buffer) -> KeyBindings:
    """All keys of the screen; what is not named here is typed into the field."""
    keys = KeyBindings()
    has_sheet = Condition(lambda: bool(screen.sheet))
    is_empty = Condition(lambda: not field.text)
    is_hidden = Condition(lambda: screen.session.curtain is not None)
    chooses = ~has_sheet & ~is_hidden & Condition(lambda: not screen.is_talking)
    _leaving(keys, screen, orders, field)
    _changing(keys, orders, chooses, is_empty)
    _opening(keys, screen, orders, has_sheet, is_hidden, is_empty & chooses)
    _scrolling(keys, screen, has_sheet, is_hidden)
    _choosing(keys, screen, chooses, is_empty)
    keys.add(" ", filter=is_hidden)(lambda event: orders.lift_curtain())
    keys.add("<any>", filter=has_sheet | is_hidden)(lambda event: None)  # nothing is typed where no field is in use
    return keys


def _leaving(keys: KeyBindings, screen: Screen, orders: Orders, field: Buffer) -> None:
    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        if orders.entered(field.text):
            field.text = ""

    @keys.add("escape", eager=True)
    def _escape(event: KeyPressEvent) -> None:
        screen.session.note = ""
        if screen.sheet:
            screen.open("")
        else:
            screen.is_talking = False
            field.text = ""

    @keys.add("c-c")
    @keys.add("c-d")
    @keys.add("c-q")
    @keys.add("f10")
    def _leave(event: KeyPressEvent) -> None:
        orders.command("quit")


def _changing(keys: KeyBindings, orders: Orders, chooses: Filter, is_empty: Filter) -> None:
    for key, command in (("c-z", "undo"), ("c-y", "redo"), ("f7", "undo"), ("f8", "redo"), ("f9", "commit")):

        @keys.add(key, filter=chooses)
        def _change(event: KeyPressEvent, command: str = command) -> None:
            orders.command(command)

    @keys.add("backspace", filter=is_empty & chooses)
    @keys.add("c-h", filter=is_empty & chooses)
    def _undo(event: KeyPressEvent) -> None:
        orders.command("undo")


def _opening(
    keys: KeyBindings, screen: Screen, orders: Orders, has_sheet: Filter, is_hidden: Filter, is_free: Filter
) -> None:
    for key, sheet in (("f1", "help"), ("f2", "board"), ("f5", "result")):

        @keys.add(key, filter=~is_hidden)
        def _sheet(event: KeyPressEvent, sheet: str = sheet) -> None:
            screen.open(sheet)

    @keys.add("?", filter=is_free)
    def _help(event: KeyPressEvent) -> None:
        screen.open("help")

    @keys.add("f3", filter=~is_hidden)
    def _large(event: KeyPressEvent) -> None:
        screen.open(screen.tab)

    @keys.add("f4", filter=~is_hidden & ~has_sheet)
    def _talk(event: KeyPressEvent) -> None:
        orders.talk()

    @keys.add("f6")
    def _mouse(event: KeyPressEvent) -> None:
        screen.has_mouse = not screen.has_mouse
        screen.session.note = "" if screen.has_mouse else "The mouse belongs to the terminal now; F6 takes it again."

    @keys.add("tab", filter=~has_sheet & ~is_hidden)
    def _tab(event: KeyPressEvent) -> None:
        screen.next_tab(1)

    @keys.add("s-tab", filter=~has_sheet & ~is_hidden)
    def _back_tab(event: KeyPressEvent) -> None:
        screen.next_tab(-1)


def _scrolling(keys: KeyBindings, screen: Screen, has_sheet: Filter, is_hidden: Filter) -> None:
    for key, direction in (("pageup", -1), ("pagedown", 1)):

        @keys.add(key, filter=~is_hidden)
        def _page(event: KeyPressEvent, direction: int = direction) -> None:
            screen.scroll(direction * screen.page)

    for key, lines in (("c-up", -1), ("c-down", 1), ("c-home", -10_000), ("c-end", 10_000)):

        @keys.add(key, filter=~is_hidden)
        def _line(event: KeyPressEvent, lines: int = lines) -> None:
            screen.scroll(lines)

    for key, steps in (("c-left", -10), ("c-right", 10)):

        @keys.add(key, filter=~is_hidden)
        def _pan(event: KeyPressEvent, steps: int = steps) -> None:
            screen.pan_board(steps)

    for key, steps in (("left", -10), ("right", 10)):

        @keys.add(key, filter=has_sheet)
        def _sheet_pan(event: KeyPressEvent, steps: int = steps) -> None:
            screen.pan_board(steps)

    for key, lines in (("up", -1), ("down", 1), ("home", -10_000), ("end", 10_000)):

        @keys.add(key, filter=has_sheet)
        def _sheet_line(event: KeyPressEvent, lines: int = lines) -> None:
            screen.scroll(lines)

    for key, back in (("up", 3), ("down", -3)):

        @keys.add("escape", key, filter=~has_sheet & ~is_hidden)
        def _side(event: KeyPressEvent, back: int = back) -> None:
            screen.scroll_side(-back if screen.tab in FROM_THE_TOP else back)


def _choosing(keys: KeyBindings, screen: Screen, chooses: Filter, is_empty: Filter) -> None:
    for key, step in (("up", -1), ("down", 1)):

        @keys.add(key, filter=chooses)
        def _mark(event: KeyPressEvent, step: int = step) -> None:
            screen.session.note = ""
            screen.menu.move(step)

    for key, step in (("left", -1), ("right", 1)):

        @keys.add(key, filter=chooses & is_empty)
        def _column(event: KeyPressEvent, step: int = step) -> None:
            screen.menu.mark(screen.menu_rows.beside(screen.menu.cursor, step))

    for key, step in (("home", -10_000), ("end", 10_000)):

        @keys.add(key, filter=chooses & is_empty)
        def _end(event: KeyPressEvent, step: int = step) -> None:
            screen.menu.move(step)
