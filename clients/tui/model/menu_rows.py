"""The menu as rows: titles of kinds, and items whose words are wrapped and never cut, so that no two look alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from kontor_games.clients.tui.draw.fitted_text import columns, wrapped

from .screen_menu import MenuItem

NUMBER = 4  # columns of an item's number and the blank after it
LEAST = 28  # columns that an item needs beside others


@dataclass(frozen=True)
class MenuRow:
    """One row: of the item at a place among those shown, or a title if that is None."""

    place: int | None
    number: str
    text: str


@dataclass
class MenuRows:
    """As drawn last: rows run down the columns, a page at a time."""

    rows: list[MenuRow] = field(default_factory=list)
    height: int = 1
    across: int = 1
    top: int = 0  # the first row of the page
    above: int = 0  # lines above the menu in its pane

    def lay(self, shown: list[tuple[int, MenuItem]], width: int, height: int, cursor: int) -> None:
        """Lay the items out in a pane; as many columns as needed, if no item is wrapped for them."""
        self.height = max(1, height)
        widest = max(columns(item.label) for _, item in shown) + NUMBER + 1
        titles = len({item.kind for _, item in shown if item.kind})
        needed = -(-(len(shown) + titles) // self.height)
        self.across = max(1, min(width // max(LEAST, widest), needed))
        self.rows = _rows(shown, width // self.across)
        self.top = self.row_of(cursor) // self.page * self.page

    @property
    def page(self) -> int:
        return self.height * self.across

    def row_of(self, place: int) -> int:
        """The first row of an item."""
        return next((number for number, row in enumerate(self.rows) if row.place == place), 0)

    def place_at(self, x: int, y: int, width: int) -> int | None:
        """The item under a click in a pane of this width."""
        column = min(self.across - 1, x // max(1, width // self.across))
        row = self.top + column * self.height + y - self.above
        return self.rows[row].place if y >= self.above and row < len(self.rows) else None

    def beside(self, place: int, step: int) -> int:
        """The item a column further, or a page where there is one column."""
        goal = self.row_of(place) + step * self.height
        items = [number for number, row in enumerate(self.rows) if row.place is not None]
        nearest = min(items, key=lambda number: abs(number - goal), default=0)
        return (self.rows[nearest].place or 0) if self.rows else 0


def _rows(shown: list[tuple[int, MenuItem]], width: int) -> list[MenuRow]:
    rows: list[MenuRow] = []
    title = ""
    for place, (number, item) in enumerate(shown):
        if item.kind != title and item.kind:
            rows.append(MenuRow(None, "", item.kind))
        title = item.kind
        first, *rest = wrapped(item.label, width - NUMBER - 1)
        rows.append(MenuRow(place, f"{number:>3} ", first))
        rows += [MenuRow(place, " " * NUMBER, line) for line in rest]
    return rows
