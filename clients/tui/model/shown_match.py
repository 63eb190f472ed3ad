"""One match at this screen: what the node last told of it, and what the person does about it.

Several people may share the screen. Then nothing that belongs to one of them is asked for, or shown, before that
person has lifted the curtain.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from typing import Any

from kontor_games.clients.home_folder import again
from kontor_games.clients.node.node_connection import AGAIN
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.node.own_feed import OwnFeed
from kontor_games.clients.text.lobby_words import lobby_says
from kontor_games.clients.text.sheet import verdict_line
from kontor_games.clients.tui.model.talk import AWAY, Talk

State = dict[str, Any]
NODE_AWAY = "The node does not answer; it is tried again. If it was stopped: kontor node start"


class ScreenMatch:
    """The match; `changed` is called whenever something is to be drawn anew."""

    def __init__(self, talk: Talk, match: str, seat: int | None, watching: bool) -> None:
        self._talk = talk
        self.match = match
        self.watching = watching
        self._seat = seat
        self.at = seat  # the seat whose view is shown; None: what everybody may see
        self.is_shared = False
        self.curtain: int | None = None  # the person who is to look next
        self.state: State | None = None
        self.game: State = {}
        self.is_online = True
        self.lost = ""  # why nothing is heard
        self.is_busy = False
        self.note = ""  # the last refusal or answer, until the next key
        self.fatal = ""  # why there is nothing to show
        self.told = 0.0  # when the state was fetched
        self.changed: Callable[[], None] = lambda: None
        self.turn_came: Callable[[], None] = lambda: None
        self.verdict = ""  # what the file of the finished match proves
        self._has_asked_verdict = False
        self._feed = OwnFeed()
        self._is_fetching = False
        self._is_stale = False
        self._explained: dict[tuple[int, tuple[str, ...], str], str] = {}
        self._explaining: set[tuple[int, tuple[str, ...], str]] = set()

    # ---- what is known

    async def begin(self) -> None:
        """Learn which seats are ours and which game it is. Raises Refused and OSError."""
        state = await self._talk.get(f"matches/{self.match}?seat=none")
        games = (await self._talk.get("games"))["games"]
        self.game = next((game for game in games if game["id"] == state["game"]), {"id": state["game"]})
        mine = [number for number, facts in enumerate(state["seats"]) if facts["you"]]
        self.watching = self.watching or not mine
        self.is_shared = not self.watching and self.at is None and len(mine) > 1
        if not self.watching and self.at is None and len(mine) == 1:
            self.at = mine[0]
        if self.watching:
            self.at = None
        self._show(state if self.at is None else await self._fetch(self.at))

    @property
    def names(self) -> list[str]:
        return [] if self.state is None else [seat["name"] for seat in self.state["seats"]]

    @property
    def is_my_turn(self) -> bool:
        return self.state is not None and bool(self.state["your_turn"]) and self.curtain is None

    def _is_mine(self, state: State, seat: int | None) -> bool:
        return seat is not None and 0 <= seat < len(state["seats"]) and bool(state["seats"][seat]["you"])

    async def _fetch(self, seat: int | None) -> State:
        query = "none" if seat is None else str(seat)
        state: State = await self._talk.get(f"matches/{self.match}?seat={query}")
        return state

    def _show(self, state: State) -> None:
        """Take a new state in; where another person is to act, the curtain falls instead."""
        was = self.is_my_turn
        next_up = state["to_act"]
        acts = state["status"] in ("playing", "waiting") and next_up not in _gone(state)
        if self.is_shared and acts and self._is_mine(state, next_up) and next_up != self.at:
            self.curtain = next_up
        else:
            self.curtain = None
        self.state = state
        self._feed.shows(state)
        self.told = time.monotonic()
        if self.is_my_turn and not was:
            self.turn_came()
        self.changed()

    async def refresh(self) -> None:
        """Ask for the state; requests that come while one is under way become one."""
        if self._is_fetching:
            self._is_stale = True
            return
        self._is_fetching = True
        try:
            self._is_stale = True
            while self._is_stale:
                self._is_stale = False
                asked = self.at
                self._feed.asked()
                state = await self._fetch(asked)
                if asked != self.at:
                    self._is_stale = True
                    continue
                if self.is_shared and state["status"] == "over" and self.at is not None:
                    self.at = None  # the end is for all eyes, a hand is not
                    self._is_stale = True
                    continue
                self._show(state)
        except Refused as refused:
            self.note = str(refused)
            self.changed()
        except AWAY:
            self._lost()
        finally:
            self._is_fetching = False

    def _lost(self, reason: str = AGAIN) -> None:
        self.is_online = False
        self.lost = reason
        self.changed()

    async def heard(self, event: dict[str, Any]) -> None:
        """An event of the node."""
        match event["kind"]:
            case "open":
                if not self.is_online:
                    await self._talk.renew()
                    self.note = ""
                self.is_online = True
                await self.refresh()
            case "closed":
                self._lost(event["reason"])
            case "reset":
                await self.refresh()
            case "notice" if event.get("id") == self.match:
                self.note = event.get("text", "")
                await self.refresh()
            case "notice" if (said := lobby_says(event)) is not None:
                self.note = said
                self.changed()
            case "match" | "chat" if event.get("id") == self.match:
                self._feed.wants(event.get("n", math.inf))
                await self._catch_up()

    async def _catch_up(self) -> None:
        """Ask for the state if something was heard that it lacks; an answer on its way may contain it."""
        if not self.is_busy and self._feed.is_behind:
            await self.refresh()

    # ---- what the person does

    async def lift_curtain(self) -> None:
        """The person whose turn it is looks now."""
        seat = self.curtain
        if seat is None:
            return

        async def look() -> None:
            state = await self._fetch(seat)
            self.at = seat
            self._show(state)

        await self._try(look)

    async def draft(self, *texts: str) -> None:
        """Add actions to the draft, up to the first that is refused."""

        async def add() -> None:
            for text in texts:
                self._show(await self._post("draft", {"seat": self.at, "text": text}))

        await self._try(add)

    async def change(self, what: str) -> None:
        """undo, redo, discard or commit."""

        async def send() -> None:
            self._show(await self._post(what, {"seat": self.at}))

        await self._try(send)

    async def tell(self, what: str, body: dict[str, Any], answer: str = "") -> None:
        """chat, vote, wait or bye; `answer` is said when it is done."""

        async def send() -> None:
            await self._post(what, body)
            self.note = answer

        await self._try(send)
        await self.refresh()

    async def _post(self, what: str, body: dict[str, Any]) -> State:
        answer: State = await self._talk.post(f"matches/{self.match}/{what}", body)
        return answer

    async def _try(self, action: Callable[[], Awaitable[None]]) -> None:
        if self.is_busy:
            return
        self.is_busy = True
        self.note = ""
        try:
            await action()
        except Refused as refused:
            self.note = f"Not possible: {refused}"
            self._feed.wants()
        except AWAY:
            self._lost()
            self.note = "The node did not answer. Look whether it was done before you do it again."
        finally:
            self.is_busy = False
            self.changed()
        await self._catch_up()

    # ---- a guide, the end, and playing again

    async def read_on(self, do: str) -> None:
        """What the guide of a first match is told: next, or end."""
        await self.tell("guide", {"do": do})

    async def rematch(self) -> None:
        """Play again: at once if all of it was played here, else at a table that plain lines lead to."""

        async def send() -> None:
            answer = await self._post("rematch", {})
            if answer["match"] is None:
                self.note = f"Proposed to the others. Leave the screen and go on with: {self.back('rematch')}"
                return
            self.match, self.at, self.curtain, self.state = answer["match"], self._seat, None, None
            self.verdict, self._has_asked_verdict = "", False
            self._explained.clear()
            await self.begin()

        await self._try(send)

    def back(self, command: str) -> str:
        """What to type in a shell to come back."""
        return again(f"{command} {self.match[:8]}")

    @property
    def file(self) -> str:
        """Where the finished match lies, empty while it is not whole."""
        state = self.state
        if state is None or state["status"] != "over" or not state["file"] or not state.get("complete", True):
            return ""
        home = self._talk.home
        return state["file"] if home is None else str(home / "matches" / state["file"])

    @property
    def wants_verdict(self) -> bool:
        """Whether the file is there and was not judged yet; asks for it once."""
        wants = bool(self.file) and not self._has_asked_verdict and not self.watching
        self._has_asked_verdict = self._has_asked_verdict or wants
        return wants

    async def judge(self) -> None:
        """Learn what the file proves."""
        try:
            for row in (await self._talk.get("matches"))["matches"]:
                if row["id"] == self.match and row["replay"]:
                    judged = await self._talk.post(f"replays/{row['replay']}/verify", None)
                    self.verdict = verdict_line(str(judged["details"][0]))
                    self.changed()
        except (Refused, *AWAY):
            pass  # kontor verify says it too

    # ---- effects that the menu did not tell

    def effect_of(self, text: str) -> str | None:
        """What an action would do, if the node was asked before."""
        return self._explained.get(self._key(text))

    async def explain(self, text: str) -> None:
        """Ask the node what an action would do."""
        key = self._key(text)
        if key in self._explained or key in self._explaining or not self.is_my_turn:
            return
        self._explaining.add(key)
        try:
            answer = await self._talk.post(f"matches/{self.match}/explain", {"seat": self.at, "text": text})
            said = " ".join(line["say"] for line in answer["events"] if line["say"])
            if len(self._explained) > 500:
                self._explained.clear()
            self._explained[key] = said if answer["legal"] else f"Not possible: {answer['reason']}"
            self.changed()
        except (Refused, *AWAY):
            pass  # it is only a hint
        finally:
            self._explaining.discard(key)

    def _key(self, text: str) -> tuple[int, tuple[str, ...], str]:
        assert self.state is not None
        return self.state["ply"], tuple(self.state["draft"]["texts"]), text

    # ---- waiting

    @property
    def waited(self) -> int:
        """For how many seconds somebody has been missing."""
        waiting = None if self.state is None else self.state["waiting"]
        return 0 if waiting is None else int(waiting["seconds"] + time.monotonic() - self.told)

    @property
    def grace(self) -> int:
        """For how many seconds more nobody can be put out."""
        waiting = None if self.state is None else self.state["waiting"]
        return 0 if waiting is None else max(0, int(waiting.get("grace", 0) - time.monotonic() + self.told))


def _gone(state: State) -> list[int]:
    return [number for number, seat in enumerate(state["seats"]) if seat["gone"]]
