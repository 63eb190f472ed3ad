"""A QR code in a terminal: two modules in one character, to be painted black on white whatever its own colours are."""

from __future__ import annotations

import segno

QUIET = 2  # modules of white around it; cameras want some, terminals are small
INK = "black paper"  # the style: cameras do not read white on black, which a dark terminal would show
BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


def qr_lines(text: str) -> list[str]:
    """The lines of a QR code, without their colours."""
    code = segno.make(text, error="l", micro=False, boost_error=False).matrix
    width = len(code) + 2 * QUIET
    blank = [0] * width
    side = [0] * QUIET
    rows = [*[blank] * QUIET, *([*side, *row, *side] for row in code), *[blank] * QUIET]
    if len(rows) % 2:
        rows.append(blank)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(BLOCKS[top, bottom] for top, bottom in zip(upper, lower, strict=True)) for upper, lower in pairs]
