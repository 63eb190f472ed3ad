"""Pictures of every scene of every board, in every size, light and dark; positions are reached by lively choices."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kontor_games.engine import game_ids
from tests.net.api.kit import NodeProcess

from .axe import STILL
from .driver import Browser
from .party_pictures import PartyStudio
from .play import ask, new_match, set_pace, sign_in
from .positions import NAMES, TABLES

DECISIONS = {"osaka": 12, "joban": 12, "yokohama": 40, "hansa": 40}  # of the first seat, before the middle of a match
SIZES = {"desk": (1280, 800), "large": (1920, 1080), "phone": (390, 844)}
THEMES = ("light", "dark")
# What is there once a scene can be seen.
SCENES = {
    "first": "[data-turn=you]",
    "turn": "[data-turn=you]",
    "popover": "[data-turn=you]",
    "staged": "[data-turn=you]",
    "end": ".ending .curve",
    "replay": ".turns .now",
    "guide": "[data-guide]",
    "rules": "[data-picture]",
    "pages": "main h1",
}
# What README shows: board, scene, size and theme; the file, and how much smaller the picture is made.
README: dict[tuple[str, str, str, str], tuple[str, float]] = {
    ("hansa-east", "turn", "desk", "light"): ("hansa.png", 0.58),
    ("yokohama-3", "popover", "desk", "light"): ("yokohama.png", 0.58),
    ("osaka-4", "staged", "desk", "dark"): ("osaka.png", 0.58),
    ("joban-4", "popover", "desk", "light"): ("joban.png", 0.58),
    ("hansa-base-3", "end", "desk", "light"): ("end.png", 0.58),
    ("hansa-base-3", "first", "phone", "dark"): ("phone.png", 0.75),
}
# Opens the list of what one element may mean; tells whether there is such an element.
SEVERAL = """
const found = [...document.querySelectorAll(".play [data-entries*=',']")];
const inside = (box) =>
  box.width > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
const chosen = found.find((each) => inside(each.getBoundingClientRect()));
if (!chosen) return false;
const box = chosen.getBoundingClientRect();
const [clientX, clientY] = [box.left + box.width / 2, box.top + box.height / 2];
chosen.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, clientX, clientY }));
return true;
"""
PAUSED = "document.getAnimations().forEach((each) => each.pause())"


@dataclass(frozen=True)
class Scene:
    """Something to be seen at an address, perhaps only after something was done there."""

    board: str
    kind: str
    address: str
    act: Callable[[Browser], Any] | None = None


def popover(browser: Browser) -> bool:
    """Ask which of several is meant, if an element means several."""
    return bool(browser.run(SEVERAL))


def staged(browser: Browser) -> None:
    """The last move of the others once more, stopped on its way; some moves are only told."""
    browser.press("a")
    browser.wait_for(".caption.staged", seconds=10)
    until = time.monotonic() + 2
    while time.monotonic() < until and not browser.has(".ghost"):
        time.sleep(0.05)
    time.sleep(0.2)
    browser.run(PAUSED)


def reach(node: NodeProcess, match: str, decisions: int, seconds: float = 120) -> bool:
    """Decide for the person until the position is worth a picture; returns whether it is their turn then."""
    link = node.link()
    made = 0
    until = time.monotonic() + seconds
    while made < decisions and time.monotonic() < until:
        state = link.get(f"matches/{match}")
        if state["status"] == "over":
            return False
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
            return bool(state["your_turn"])
        time.sleep(0.05)
    raise AssertionError(f"the match did not get there in {seconds} s")


def _best(state: dict[str, Any]) -> str | None:
    """A lively choice without looking into the engine: whatever builds, buys or claims, else the middle of the menu."""
    texts = [entry["text"] for entry in state["menu"]]
    if not texts:
        return None
    for word in ("claim", "office", "develop", "buy", "shop", "house", "research", "fulfil", "play", "build", "deploy"):
        for text in texts:
            if text.startswith(word):
                return str(text)
    dull = ("end", "done", "pass", "decline", "reserve", "move", "pick")
    quiet = [text for text in texts if not text.startswith(dull)]
    return str((quiet or texts)[len(quiet or texts) // 2])


class Studio:
    """One window at one node, and which pictures are wanted of it."""

    def __init__(self, browser: Browser, node: NodeProcess, wanted: argparse.Namespace) -> None:
        self.browser = browser
        self.node = node
        self.wanted = wanted
        self.base = sign_in(browser, node)
        self.made = 0

    def wants(self, board: str, *kinds: str) -> bool:
        """Whether a picture of one of these scenes is to be made."""
        if self.wanted.readme:
            return any(key[0] == board and key[1] in kinds for key in README)
        return any(kind in self.wanted.scene for kind in kinds)

    def take(self, scene: Scene) -> None:
        """All sizes and themes of one scene."""
        for size in self.wanted.size:
            for theme in self.wanted.theme:
                file, scale = f"{scene.board}-{scene.kind}-{size}-{theme}.png", 1.0
                if self.wanted.readme:
                    key = (scene.board, scene.kind, size, theme)
                    if key not in README:
                        continue
                    file, scale = README[key]
                height = self.show(scene, size, theme == "dark")
                self.browser.picture(self.wanted.folder / file, (SIZES[size][0], height, scale))
                self.made += 1
                print(f"{self.made:4} {file}", flush=True)

    def show(self, scene: Scene, size: str, dark: bool) -> int:
        """Open it afresh; returns how high the picture is: the window, or a long page as a whole."""
        width, height = SIZES[size]
        self.browser.resize(width, height, dark)
        self.browser.open("about:blank")
        self.browser.open(scene.address)
        self.browser.wait_for(SCENES[scene.kind])
        self.browser.wait("return document.querySelector('.play[aria-busy=true]') === null")
        self.browser.run(STILL)
        if scene.act is not None:
            scene.act(self.browser)
        elif scene.kind in ("rules", "pages"):
            height = max(height, int(self.browser.run("return document.documentElement.scrollHeight")))
            self.browser.resize(width, height, dark)
        time.sleep(0.15)
        return height

    def scenes(self) -> Iterator[Scene]:
        """Each after the one before: the node plays on between them."""
        for board in self.wanted.board:
            yield from self.match(board)
        for game in dict.fromkeys(TABLES[board][0] for board in self.wanted.board):
            if self.wants(game, "guide"):
                yield self.guide(game)
            yield Scene(game, "rules", f"{self.base}#/help/{game}")
        if self.wants("", "pages"):
            yield from self.pages()

    def match(self, board: str) -> Iterator[Scene]:
        """One match from its beginning to its end, and its replay."""
        if not self.wants(board, "first", "turn", "popover", "staged", "end", "replay"):
            return
        match, address = self.begin(board)
        yield Scene(board, "first", address)
        if self.wants(board, "turn", "popover", "staged"):
            assert reach(self.node, match, DECISIONS[TABLES[board][0]]), "the match is over too early"
            yield Scene(board, "turn", address)
            yield Scene(board, "staged", address, staged)
        if self.wants(board, "popover"):
            yield Scene(board, "popover", self.with_popover(board, match, address), popover)
        if self.wants(board, "end", "replay"):
            reach(self.node, match, 5000, seconds=400)
            yield Scene(board, "end", address)
            (replay,) = [row["replay"] for row in ask(self.node, "matches")["matches"] if row["id"] == match]
            chapters = ask(self.node, f"replays/{replay}")["chapters"]
            yield Scene(board, "replay", f"{self.base}#/replay/{replay}/{chapters[len(chapters) // 2]['ply']}")

    def begin(self, board: str, seed: str = "") -> tuple[str, str]:
        """A new match at the first decision of the person, and its address."""
        game, seats, options = TABLES[board]
        match = new_match(self.node, game, NAMES[:seats], options, seed=board + seed)
        reach(self.node, match, 0)
        return match, f"{self.base}#/match/{match}"

    def with_popover(self, board: str, match: str, address: str) -> str:
        """Play on until an element means several things; else the beginning of a match, where most offer much."""
        for _ in range(8):
            self.show(Scene(board, "popover", address), "phone", False)
            if popover(self.browser):
                return address
            if not reach(self.node, match, 1):
                break
        return self.begin(board, " again")[1]

    def guide(self, game: str) -> Scene:
        """A guided match where it waits for a choice for the first time."""
        link = self.node.link()
        match = link.post("guides", {"game": game})["id"]
        while (link.get(f"matches/{match}")["guide"])["wait"] == "next":
            link.post(f"matches/{match}/guide", {"do": "next"})
        return Scene(game, "guide", f"{self.base}#/match/{match}")

    def pages(self) -> Iterator[Scene]:
        """Everything else."""
        people = [{"kind": "me", "name": name} for name in NAMES[:2]]
        shared = ask(self.node, "matches", {"game": "osaka", "seats": people, "seed": "curtain"})["id"]
        table = ask(self.node, "tables", {"game": "hansa", "seats": 3})["id"]
        for name, path in {
            "home": "",
            "settings": "settings",
            "watch": "watch",
            "curtain": f"match/{shared}",
            "replays": "replay",
            "table": f"table/{table}",
        }.items():
            yield Scene(name, "pages", f"{self.base}#/{path}")


def options(arguments: list[str]) -> argparse.Namespace:
    """Which pictures; without an option, all."""
    parser = argparse.ArgumentParser(prog="screenshots", description="Take pictures of every scene of every board.")
    parser.add_argument("folder", type=Path, help="where they go")
    for name, known in (("board", TABLES), ("game", game_ids()), ("scene", SCENES), ("size", SIZES), ("theme", THEMES)):
        parser.add_argument(
            f"--{name}", action="append", choices=list(known), metavar=name.upper(), help=f"only {', '.join(known)}"
        )
    parser.add_argument("--readme", action="store_true", help="only the small ones that README shows")
    parser.add_argument("--party", action="store_true", help="a guest's phone and the television in every game instead")
    chosen = parser.parse_args(arguments)
    if chosen.readme:
        chosen.board, chosen.scene = [[key[part] for key in README] for part in (0, 1)]
    games = chosen.game or game_ids()
    chosen.game = games
    chosen.board = [board for board in TABLES if board in (chosen.board or TABLES) and TABLES[board][0] in games]
    for name, known in (("scene", SCENES), ("size", SIZES), ("theme", THEMES)):
        setattr(chosen, name, getattr(chosen, name) or list(known))
    return chosen


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, Browser() as browser:
        node = NodeProcess(Path(home)).start()
        try:
            set_pace(node, "slow")
            node.link().put("settings", {**node.link().get("settings"), "name": "Ann"})
            if chosen.party:
                for game in chosen.game:
                    PartyStudio(node, game, chosen.folder, _best).take(DECISIONS[game], chosen.theme)
                return 0
            studio = Studio(browser, node, chosen)
            for scene in studio.scenes():
                if studio.wants(scene.board, scene.kind):
                    studio.take(scene)
        finally:
            node.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
