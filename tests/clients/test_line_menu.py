"""The menu in plain lines: words for people; the notation only for whoever asks for it."""

from __future__ import annotations

import io

from kontor_games.clients.cli.match.line_menu import show_menu, show_whole_menu
from kontor_games.clients.text.terminal import Terminal

STATE = {
    "now": {"text": "Your turn: 2 actions left."},
    "kinds": [
        {"id": "place", "label": "Place", "why": None},
        {"id": "claim", "label": "Claim", "why": "no full route"},
    ],
    "menu": [{"kind": "place", "phrase": "Place a trader on Arnheim–Kampen, post 3", "text": "place arn-kam:3"}],
}


def printed(words: str = "", forms: bool = False) -> str:
    out = io.StringIO()
    show_whole_menu(Terminal(out), STATE, words, forms)
    return out.getvalue()


def test_no_notation_stands_beside_a_choice_unless_somebody_asks_for_it() -> None:
    out = io.StringIO()
    show_menu(Terminal(out), STATE)
    assert "  1  Place a trader on Arnheim–Kampen, post 3\n" in out.getvalue() and "arn-kam" not in out.getvalue()
    assert "  1  Place a trader on Arnheim–Kampen, post 3\n" in printed() and "arn-kam" not in printed()
    assert "Claim: not now; no full route." in printed()
    assert "No choice has these words: arn-kam" in printed("arn-kam")
    assert "post 3  (place arn-kam:3)" in printed(forms=True) and "post 3" in printed("arn-kam", forms=True)
