"""Pictures of a party: a guest's phone on its turn, its hand, a popover, waiting; the television; for every game."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .phones import guest_called, knock, link_for, phone, tap
from .play import STEP, ask

NAMES = ("Bruno", "Ann", "Cosima", "Detlef")
TELEVISION = (1920, 1080)
MOST_STEPS = 120  # until an element means several things
# Where a finger meets something that may mean several things: seen, and not below something else.
SEVERAL = """
const inside = (at, size) => at > 4 && at < size - 4;
for (const each of document.querySelectorAll(".play [data-entries*=',']")) {
  const box = each.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const top = inside(x, innerWidth) && inside(y, innerHeight) ? document.elementFromPoint(x, y) : null;
  if (top && (each.contains(top) || top.contains(each))) return [x, y];
}
return null;
"""
IS_MINE = (
    "return document.querySelector('[data-turn=you]') !== null && !document.querySelector('.play[aria-busy=true]')"
)
IS_WAITING = "return !document.querySelector('[data-turn=you]') && !document.querySelector('.play[aria-busy=true]')"
STILL = """
for (const each of document.getAnimations())
  if (each.effect.getComputedTiming().endTime === Infinity) each.cancel(); else each.finish();
"""


class PartyStudio:
    """One game: a match of a phone and people at the host's screen, and the television that shows it."""

    def __init__(
        self, node: NodeProcess, game: str, folder: Path, best: Callable[[dict[str, Any]], str | None]
    ) -> None:
        self.node = node
        self.link = node.link()
        self.game = game
        self.folder = folder
        self.best = best
        self.match = ""

    def take(self, decisions: int, themes: list[str]) -> None:
        """All pictures of the game."""
        seats = [{"kind": "greedy" if number > 1 else "me", "name": name} for number, name in enumerate(NAMES)]
        wish = {"game": self.game, "seats": seats, "seed": "party pictures"}
        self.match = str(ask(self.node, "matches", wish)["id"])
        self.play_until(decisions, lambda state: state["to_act"] == 0 and self.has_cards())
        ask(self.node, "party", {"match": self.match, "port": 0})
        with ExitStack() as stack:
            stack.callback(self.link.delete, "party")
            screen = stack.enter_context(Browser(*TELEVISION))
            screen.resize(*TELEVISION)
            screen.open(link_for(self.node, "screen"))
            screen.wait_for(".big-board svg")
            window = stack.enter_context(phone())
            knock(window, link_for(self.node, "seat", 0), NAMES[0])
            window.wait_for(".guest [data-watch]")
            ask(self.node, "party/accept", {"guest": guest_called(self.node, NAMES[0])["id"], "seat": 0})
            window.wait(IS_MINE)
            self.keep(window, "phone-turn", themes)
            self.keep(screen, "television", themes)
            draw_sheet(window, 3)
            self.keep(window, "phone-hand", themes)
            self.find_popover(window)
            self.keep(window, "phone-popover", themes)
            self.let_play(window, lambda state: state["to_act"] == 1)
            window.wait(IS_WAITING)
            self.keep(window, "phone-waiting", themes)

    def has_cards(self) -> bool:
        """Whether the phone's seat has a hand worth a picture, in a game with hands."""
        player = self.link.get(f"matches/{self.match}?seat=0")["view"]["players"][0]
        hand = player.get("hand")
        return hand is None or len(hand) > 0

    def keep(self, window: Browser, name: str, themes: list[str]) -> None:
        """A picture in each theme."""
        for theme in themes:
            media = [{"name": "prefers-color-scheme", "value": theme}]
            window.devtools("Emulation.setEmulatedMedia", {"features": media})
            time.sleep(0.6)
            window.run(STILL)
            window.picture(self.folder / f"{self.game}-{name}-{theme}.png")
            print(f"{self.game}-{name}-{theme}.png", flush=True)

    def find_popover(self, window: Browser) -> None:
        """Play on until a finger is asked which of several it means."""
        for number in range(MOST_STEPS):
            draw_sheet(window, 2)
            for _ in range(2):  # the first touch may only take a closer look
                at = window.run(SEVERAL)
                if at is None:
                    break
                window.point(*at, touch=True)
                time.sleep(0.6)
                if window.has(".popover [data-choice]"):
                    return
            window.run(STEP, number)
            time.sleep(0.3)
            self.let_play(window, lambda state: state["to_act"] == 0)
            window.wait(IS_MINE)
        raise AssertionError(f"nothing in {self.game} meant several things")

    def let_play(self, window: Browser, found: Callable[[dict[str, Any]], bool]) -> None:
        """The phone clicks, the host plays the other seat, until a position is found."""
        until = time.monotonic() + 240
        number = 0
        while time.monotonic() < until:
            state = self.link.get(f"matches/{self.match}")
            assert state["status"] != "over", f"{self.game} ended before its pictures were made"
            if found(state):
                return
            if state["to_act"] == 0 and window.run(IS_MINE):
                window.run(STEP, number)
                number += 1
            elif state["to_act"] == 1:
                self.decide(1)
            time.sleep(0.15)
        raise AssertionError(f"{self.game} did not get there")

    def play_until(self, decisions: int, found: Callable[[dict[str, Any]], bool]) -> None:
        """The host plays both seats, so many decisions at least, until a position is found."""
        made = 0
        until = time.monotonic() + 240
        while time.monotonic() < until:
            state = self.link.get(f"matches/{self.match}")
            assert state["status"] != "over", f"{self.game} ended before its pictures were made"
            if made >= decisions and found(state):
                return
            if state["to_act"] in (0, 1):
                self.decide(state["to_act"], gathers=made >= decisions)
                made += 1
            else:
                time.sleep(0.05)
        raise AssertionError(f"{self.game} did not get there")

    def decide(self, seat: int, gathers: bool = False) -> None:
        """One decision of a seat at the host's screen, cards first if it gathers them; what is complete is sent."""
        state = self.link.get(f"matches/{self.match}?seat={seat}")
        taken = [entry["text"] for entry in state["menu"] if gathers and entry["text"].startswith("take")]
        text = str(taken[0]) if taken else self.best(state)
        if text is not None:
            state = self.link.post(f"matches/{self.match}/draft", {"seat": seat, "text": text})
        if text is None or state["draft"]["must_commit"]:
            self.link.post(f"matches/{self.match}/commit", {"seat": seat})


def draw_sheet(window: Browser, height: int) -> None:
    """Tap the handle of the sheet until it is so high."""
    for _ in range(4):
        if window.has(f".play[data-sheet='{height}']"):
            return
        tap(window, ".sheet-handle")
        time.sleep(0.3)
    raise AssertionError("the sheet cannot be drawn up")
