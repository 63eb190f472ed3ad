"""Several windows on several nodes: names, tables, and turns until a match is over."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.lobby.child import LobbyProcess
from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, DRAWN, STEP, ask

PATIENCE = 90.0


@contextmanager
def nodes_at(folder: Path, count: int) -> Iterator[list[NodeProcess]]:
    """Fresh nodes; they are ended even if a test has killed some."""
    made = NodeProcess.started(*(NodeProcess(folder / f"home{number}") for number in range(count)))
    try:
        yield made
    finally:
        for node in made:
            if node.process is not None:
                node.end()


@contextmanager
def windows(first: Browser, more: int) -> Iterator[list[Browser]]:
    """The module's window and others beside it."""
    opened = [first]
    try:
        for _ in range(more):
            opened.append(Browser())
        yield opened
    finally:
        for window in opened[1:]:
            window.close()


@contextmanager
def lobby_for(folder: Path, nodes: Sequence[NodeProcess], names: Sequence[str]) -> Iterator[None]:
    """A lobby that these nodes have in their settings, under these names."""
    lobby = LobbyProcess(folder / "lobby")
    try:
        for node, name in zip(nodes, names, strict=True):
            node.link().put("settings", {"name": name, "lobby": f"127.0.0.1:{lobby.port}"})
        yield
    finally:
        lobby.stop()


def write(browser: Browser, css: str, text: str) -> None:
    """Put words into a field as if they had been typed; with the focus, for nobody's words are lost while they type."""
    browser.wait_for(css)
    browser.run(
        "const field = document.querySelector(arguments[0]); field.focus(); field.value = arguments[1]", css, text
    )


def open_table(browser: Browser, choices: Sequence[str], note: str = "") -> None:
    """Open a table in the dialog: game, seats, where, who sees it."""
    browser.click("[data-open=table]")
    browser.wait_for("dialog.dialog .field select")
    for number, value in enumerate(choices):
        browser.run(
            "const field = document.querySelectorAll('dialog .field select')[arguments[0]];"
            "field.value = arguments[1]; field.dispatchEvent(new Event('change'))",
            number,
            value,
        )
    if note:
        write(browser, "dialog .field input[type=text]", note)
    # Osaka ends soonest with six tokens.
    browser.run(
        "const ends = [...document.querySelectorAll('dialog .option select')]"
        ".find((field) => field.options[0].textContent === '6'); if (ends) ends.value = '0';"
    )
    browser.click("dialog button.primary")
    browser.wait("return location.hash.startsWith('#/table/')")


def join(browser: Browser, where: str) -> None:
    """Enter a table by its address or code."""
    write(browser, ".join input", where)
    browser.click(".join form button")


def sit(browser: Browser, seat: int) -> None:
    browser.wait_for(f"[data-sit='{seat}']")
    browser.click(f"[data-sit='{seat}']")
    browser.wait(f"return document.querySelector('[data-sit=\"{seat}\"]') === null")


def begin(players: Sequence[Browser]) -> str:
    """All are ready and compare the six words; returns the id of the match."""
    for window in players:
        window.wait_for("[data-ready=no]:not(:disabled)")
        window.click("[data-ready=no]")
    for window in players:
        window.wait("return location.hash.startsWith('#/match/')", seconds=PATIENCE)
        window.wait_for(".board svg", seconds=PATIENCE)
    words = {window.text(".six-words") for window in players}
    assert len(words) == 1 and words != {""}
    return str(players[0].run("return location.hash.split('/')[2]"))


def take_turns(players: Sequence[Browser], turns: int) -> int:
    """Whoever can act clicks what is highlighted, until so many turns are confirmed or the match is over."""
    made = clicks = 0
    while made < turns:
        acting = _who_can_act(players)
        if acting is None:
            return made
        drawn = acting.run(f"return {DRAWN}")
        clicks += 1
        made += acting.run(STEP, clicks * 7919 + 3) == "commit"
        acting.wait(f"return {DRAWN} !== arguments[0]", drawn, seconds=PATIENCE)
    return made


def _who_can_act(players: Sequence[Browser]) -> Browser | None:
    """None once everybody sees the result."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for window in players:
            if window.has(f"{CAN}, .popover, .draft.must"):
                return window
        if all(window.has(".result") for window in players):
            return None
        time.sleep(0.02)
    raise AssertionError(f"nobody can act: {[window.text('.whose') for window in players]}")


def same_digest(nodes: Sequence[NodeProcess], match: str) -> bool:
    return len({ask(node, f"matches/{match}")["digest"] for node in nodes}) == 1
