"""The viewer's own part of a text board, for boards too large to have it always in sight."""

from __future__ import annotations

import re

from kontor_games.clients.tui.draw.paint import plain

CARDS = "Your cards"


def own_lines(lines: list[str]) -> list[str]:
    """What lies before the viewer, without colours: the cards in hand, else the rows below the own name."""
    texts = [plain(line) for line in lines]
    if CARDS in texts:
        return _indented(texts[texts.index(CARDS) + 1 :], 2)
    for row, text in enumerate(texts):
        if re.match(r"[> ] ?[A-Z] .* \(you\)|[> ] .* \(you\)  ", text):
            return [text, *_indented(texts[row + 1 :], 3)]
    return []


def _indented(lines: list[str], least: int) -> list[str]:
    """The first lines, as long as they are indented."""
    out = []
    for line in lines:
        if len(line) - len(line.lstrip()) < least:
            break
        out.append(line)
    return out
