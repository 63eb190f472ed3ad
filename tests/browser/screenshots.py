"""Pictures of every screen and board; positions are reached by taking lively choices from the menu."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kontor_games import engine
from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import ask, new_match, sign_in

NAMES = ("Ann", "Bertram", "Cosima", "Detlef", "Eleonore")
# name -> game, seats, options, decisions of the first seat before the picture
BOARDS: dict[str, tuple[str, int, dict[str, Any], int]] = {
    "osaka-2": ("osaka", 2, {}, 24),
    "osaka-4": ("osaka", 4, {}, 26),
    "joban-2": ("joban", 2, {}, 26),
    "joban-4": ("joban", 4, {}, 22),
    "yokohama-2": ("yokohama", 2, {}, 70),
    "yokohama-3": ("yokohama", 3, {}, 70),
    "yokohama-4": ("yokohama", 4, {}, 60),
    "hansa-base-3": ("hansa", 3, {}, 60),
    "hansa-base-5": ("hansa", 5, {}, 50),
    "hansa-east": ("hansa", 4, {"map": "east"}, 60),
    "hansa-britannia-3": ("hansa", 3, {"map": "britannia"}, 60),
    "hansa-britannia-5": ("hansa", 5, {"map": "britannia"}, 50),
}
SIZES = ((1280, 900), (390, 844))
README = {"osaka-4": False, "joban-4": False, "yokohama-3": False, "hansa-base-3": True}  # and whether dark
README_CLIP = (1280, 900, 0.8)


def reach(node: NodeProcess, match: str, decisions: int) -> None:
    """Decide for the person until the position is worth a picture."""
    link = node.link()
    made = 0
    until = time.monotonic() + 120
    while made < decisions and time.monotonic() < until:
        state = link.get(f"matches/{match}")
        if state["status"] == "over":
            return
        if not state["your_turn"]:
            time.sleep(0.05)
            continue
        text = _best(state)
        if text is None:
            link.post(f"matches/{match}/commit", {"seat": 0})
        else:
            state = link.post(f"matches/{match}/draft", {"seat": 0, "text": text})
            made += 1
            if state["draft"]["must_commit"]:
                link.post(f"matches/{match}/commit", {"seat": 0})
    while time.monotonic() < until:  # a picture of one's own turn shows what can be done
        state = link.get(f"matches/{match}")
        if state["your_turn"] or state["status"] == "over":
            return
        time.sleep(0.05)


def _best(state: dict[str, Any]) -> str | None:
    """A lively choice without looking into the engine: whatever builds, buys or claims, else the middle of the menu."""
    texts = [entry["text"] for entry in state["menu"]]
    if not texts:
        return None
    for word in ("claim", "office", "develop", "buy", "shop", "house", "research", "fulfil", "play", "build", "deploy"):
        for text in texts:
            if text.startswith(word):
                return str(text)
    quiet = [
        text for text in texts if text not in ("end", "done", "pass", "decline") and not text.startswith("reserve")
    ]
    return str((quiet or texts)[len(quiet or texts) // 2])


def take(browser: Browser, folder: Path, name: str, address: str, for_readme: bool) -> None:
    """Light and dark, wide and narrow; for README one small picture."""
    for width, height in SIZES:
        for dark in (False, True):
            if for_readme and (width != SIZES[0][0] or dark != README[name]):
                continue
            browser.resize(width, height, dark)
            browser.open("about:blank")
            browser.open(address)
            browser.wait("return document.querySelector('main h1') !== null", seconds=60)
            browser.wait(
                "return document.querySelector('.board') === null || document.querySelector('.board *') !== null"
            )
            browser.run("document.getAnimations().forEach((each) => each.finish())")
            _as_high_as_the_page(browser, width, height, dark)
            if for_readme:
                browser.picture(folder / f"{name.partition('-')[0]}.png", README_CLIP)
            else:
                browser.picture(folder / f"{name}-{width}-{'dark' if dark else 'light'}.png")


def _as_high_as_the_page(browser: Browser, width: int, height: int, dark: bool) -> None:
    """So that what sticks to the lower edge covers nothing; some parts grow with the window."""
    for _ in range(4):
        browser.resize(width, height, dark)
        time.sleep(0.2)
        page = int(browser.run("return document.documentElement.scrollHeight"))
        if page <= height:
            return
        height = page


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="screenshots", description="Take pictures of all screens and boards.")
    parser.add_argument("folder", type=Path, help="where they go")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: screens, {', '.join(BOARDS)}")
    parser.add_argument("--readme", action="store_true", help="the small ones that README shows")
    chosen = parser.parse_args(arguments)
    folder, for_readme = chosen.folder, chosen.readme
    wanted = list(README) if for_readme else chosen.names
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, Browser() as browser:
        node = NodeProcess(Path(home)).start()
        try:
            base = sign_in(browser, node)
            ask_settings(node)
            for name, address in screens(node, base, wanted):
                take(browser, folder, name, address, for_readme)
                print(name, flush=True)
        finally:
            node.end()
    return 0


def ask_settings(node: NodeProcess) -> None:
    """A player who has a name."""
    body = b'{"name":"Ann"}'
    node.raw("PUT", "/api/1/settings", node.as_owner(**{"Content-Type": "application/json"}), body)


def screens(node: NodeProcess, base: str, wanted: list[str]) -> Any:
    """Name and address of each picture, made one after the other."""
    for name, (game, seats, options, decisions) in BOARDS.items():
        if wanted and name not in wanted:
            continue
        match = new_match(node, game, NAMES[:seats], options, seed=name)
        reach(node, match, decisions)
        yield name, f"{base}#/match/{match}"
    if wanted and "screens" not in wanted:
        return
    match = new_match(node, "osaka", NAMES[:2], {"tokens_to_end": 6}, seed="shelf")
    reach(node, match, 2000)
    yield "over", f"{base}#/match/{match}"
    yield "home", f"{base}#/"
    yield "settings", f"{base}#/settings"
    yield "watch", f"{base}#/watch"
    people = [{"kind": "me", "name": name} for name in NAMES[:2]]
    shared = ask(node, "matches", {"game": "osaka", "seats": people, "seed": "curtain"})["id"]
    yield "curtain", f"{base}#/match/{shared}"
    yield "replays", f"{base}#/replay"
    yield "replay", f"{base}#/replay/{ask(node, 'replays')['replays'][0]['id']}/40"
    yield "table", f"{base}#/table/{ask(node, 'tables', {'game': 'hansa', 'seats': 3})['id']}"
    for game in engine.game_ids():
        yield f"help-{game}", f"{base}#/help/{game}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
