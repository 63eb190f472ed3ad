"""A match in plain lines: what happens is told as it comes, a prompt asks when it is this person's turn.

Nothing moves the cursor and nothing is said by colour alone, so that a screen reader, a pipe and a script see the same.
"""

from __future__ import annotations

import math
from collections import deque

from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_connection import Restarted, Stopped
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.node.own_feed import OwnFeed
from kontor_games.clients.text.boards import map_parts, render
from kontor_games.clients.text.choice_groups import guide_words, reads_on, sentences
from kontor_games.clients.text.game_options import option_words
from kontor_games.clients.text.lobby_words import lobby_says
from kontor_games.clients.text.story import tell_lines
from kontor_games.clients.values import Data

from .drafting import Drafting
from .inbox import LineTerminal
from .line_end import LineEnd
from .line_menu import show_menu, show_whole_menu
from .line_talk import LineTalk

HELP = """\
A number makes the choice of that number.
Several choices may follow each other, parted by , or ;
  u  undo      take back the last action    r  redo      put it back
  c  commit    make the draft final (also Enter, once the turn is complete)
  undo all     begin the draft again        x  explain   x TEXT: what it would do
  b  board     show the board               m  menu      choices; m WORDS: some
  l  log       what happened last           L  log all   everything that happened
  f  forms     the notation, for experts    q  quit      leave; the match is kept
  forms on     the notation beside the choices of menu; forms off: no more
  hint         what an expert would do; only where one person plays against bots
  map          the drawn map, if there is one; map west, map east: a part of it
Undo works until something is revealed or another player decides.
All these can also be typed with a slash in front, as /undo."""
SHORT = {
    "u": "undo", "r": "redo", "c": "commit", "x": "explain", "b": "board", "m": "menu",
    "l": "log", "f": "forms", "q": "quit", "?": "help", "h": "help",
}  # fmt: skip
AT_ANY_TIME = {"board", "map", "log", "forms", "quit", "help", "save"}
ON_TURN = {"undo", "redo", "commit", "explain", "menu", "hint"}


class LineMode:
    """One match at one terminal."""

    def __init__(
        self, node: NodeClient, terminal: LineTerminal, match: str, watching: bool = False,
        confirm: bool = True, brief: bool = False, save: str = "",
    ) -> None:  # fmt: skip
        self._node = node
        self._terminal = terminal
        self._id = match
        self._path = f"matches/{match}"
        self._watching = watching
        self._confirm = confirm  # ask before a turn becomes final
        self._brief = brief  # the board is shown only when asked for
        self._forms = False  # whether the menu has the notation beside the words
        self._state: Data = {}
        self._feed = OwnFeed()
        self._told = -1  # plies that were told; -1: none, not even the beginning
        self._shown: object = None  # the position that was shown last
        self._at_screen: int | None = None  # whose hand may be visible now, where people share the screen
        self._waits = ""
        self._held: deque[str] = deque()  # a script's lines for our next turn
        self._no_more = False  # nothing more will be typed
        self._leaving = False
        self._drafting = Drafting(node, self._path)
        self._end = LineEnd(node, terminal, match, save)
        self._has_ended = False
        self._talk: LineTalk

    # ---- the loop

    def run(self) -> int:
        """Play until the end is signed by all, or the person leaves; the exit code."""
        self._refresh()
        self._watching = self._watching or bool(self._state.get("watching"))
        self._talk = LineTalk(self._node, self._terminal, self._path, self._state)
        try:
            self._greet()
            while not self._leaving and not self._is_done:
                self._step()
            self._part()
        except KeyboardInterrupt:
            self._terminal.print()
            self._part()
            return 130
        except Stopped as error:
            self._terminal.print(f"Kontor: {error}.")
            self._end.say_kept(self._state)
            return 3
        return 0

    def _part(self) -> None:
        """Say how it ended, or how to come back."""
        self._tell_new()
        if self._has_left:
            self._terminal.print("You have left the match in order.")
        self._show_end()
        if self._watching:
            return
        self._end.save()
        if self._state["status"] == "over":
            self._end.say_file(self._state)
        elif not self._has_left:
            self._end.say_kept(self._state)

    def _show_end(self) -> None:
        """Once: the result is shown at once, the signatures may take a while."""
        if self._state["status"] == "over" and not self._has_ended:
            self._has_ended = True
            self._end.show(self._state)

    def _step(self) -> None:
        """Tell what is new, ask if somebody here has to decide, and take the next line or event."""
        self._tell_new()
        self._show_end()
        turn = self._is_my_turn
        if turn and not self._ask():
            return
        if not turn:
            self._say_waiting()
        if self._held and (turn or not self._waits_for_turn(self._held[0])):
            self._typed(self._held.popleft())
            return
        if turn and self._no_more and not self._held:
            self._leaving = True
            return
        self._take()

    def _take(self) -> None:
        item = self._terminal.inbox.get()
        changed = False
        while item is not None:
            if isinstance(item, str):
                if changed:
                    self._terminal.inbox.give_back([item])
                else:
                    self._line(item)
                break
            if self._event(item):
                self._feed.wants(item.get("n", math.inf))
                changed = True
            item = self._terminal.inbox.get(0.0)  # a burst of events is one look at the match
        self._feed.shows(self._state)
        if changed and (self._feed.is_behind or self._is_shared):  # an answer is for the seat that acted, not the next
            self._refresh()

    def _event(self, event: Data) -> bool:
        """Whether the match should be looked at again."""
        match event["kind"]:
            case "match" | "matches":
                return bool(event["id"] == self._id)
            case "reset":
                self._terminal.print("The node was started again; the match goes on.")
                return True
            case "chat" if event["id"] == self._id:
                self._talk.heard(event["line"])
            case "notice" if self._watching and event.get("about") == "spectate":
                self._terminal.wrapped(f"Refused: {event['text']}")
                self._leaving = True
            case "notice" if (said := lobby_says(event)) is not None:
                self._terminal.wrapped(said)
            case "stopped":
                raise Stopped
            case "eof":
                self._no_more = True
                self._leaving = self._terminal.types
        return False

    def _refresh(self) -> None:
        self._feed.asked()
        self._state = self._node.get(self._path + ("?seat=none" if self._watching else ""))

    @property
    def _is_my_turn(self) -> bool:
        return bool(self._state["your_turn"]) and not self._watching

    @property
    def _has_left(self) -> bool:
        """Whether all who played at this node are gone for good."""
        mine = [seat for seat in self._state["seats"] if seat["you"]]
        return not self._watching and bool(mine) and all(seat["gone"] for seat in mine)

    @property
    def _is_done(self) -> bool:
        """Over, and signed by all who play; or we have left for good."""
        state = self._state
        if self._has_left:
            return True
        if state["status"] != "over":
            return False
        return state["kind"] == "local" or self._watching or bool(state["complete"])

    # ---- what is typed

    def _line(self, text: str) -> None:
        if self._held or (not self._terminal.types and self._waits_for_turn(text) and not self._is_my_turn):
            self._held.append(text)
        else:
            self._typed(text)

    def _waits_for_turn(self, text: str) -> bool:
        """Whether a line makes sense only on our turn; a script's line then waits for it."""
        word = _command(text)[0]
        return not self._watching and word not in AT_ANY_TIME and not LineTalk.knows(word)

    def _typed(self, text: str) -> None:
        self._terminal.answered(text)
        word, rest = _command(text)
        try:
            if self._talk.said(word, rest, self._state):
                self._refresh()
            elif word in AT_ANY_TIME:
                self._look(word, rest)
            elif self._is_my_turn:
                self._play(word, rest, text)
            elif text:
                self._terminal.print("You only watch. ? helps." if self._watching else "It is not your turn. ? helps.")
        except (Refused, Restarted) as error:
            self._terminal.wrapped(f"Not possible: {error}" if isinstance(error, Refused) else f"Note: {error}.")
            self._refresh()

    def _look(self, word: str, rest: str) -> None:
        match word:
            case "board":
                self._show_board(public=self._state["seat"] != self._at_screen and self._is_shared)
            case "map":
                self._show_map(rest)
            case "log":
                entries = self._node.get(f"{self._path}/log")["log"] if rest == "all" else self._state["log"][-12:]
                tell_lines(self._terminal, self._names, entries, numbers=rest == "all")
            case "forms" if rest in ("on", "off"):
                self._forms = rest == "on"
                self._terminal.print(f"menu lists choices {'with' if self._forms else 'without'} their notation.")
            case "forms":
                self._terminal.lines("  " + form for form in self._node.game(self._state["game"])["forms"])
            case "save":
                self._end.keep_file(rest)
            case "quit":
                self._leaving = True
            case "help":
                self._terminal.lines(HELP.splitlines())
                self._talk.help(self._state)

    def _play(self, word: str, rest: str, text: str) -> None:
        draft = self._state["draft"]
        match word:
            case "" | "alone" if self._state.get("guide") is not None and (word or reads_on(self._state)):
                self._node.post(f"{self._path}/guide", {"do": "end" if word else "next"})
                self._refresh()
            case "" if draft["must_commit"]:
                self._commit()
            case "":
                show_menu(self._terminal, self._state, brief=self._brief)
            case "menu":
                show_whole_menu(self._terminal, self._state, rest, self._forms)
            case "commit":
                self._commit()
            case "undo" | "redo":
                self._state = self._drafting.change("discard" if rest == "all" else word, self._state)
            case "explain":
                self._terminal.wrapped(self._drafting.explain(self._state, rest))
            case "hint":
                self._terminal.print("An expert thinks …")
                self._terminal.wrapped(self._drafting.hint())
            case _:
                self._state = self._drafting.add(self._state, text)
                if self._state["draft"]["must_commit"] and not self._confirm:
                    self._commit()

    def _commit(self) -> None:
        self._state = self._drafting.change("commit", self._state)
        self._waits = ""

    # ---- what is shown

    @property
    def _names(self) -> list[str]:
        return [seat["name"] for seat in self._state["seats"]]

    @property
    def _is_shared(self) -> bool:
        return sum(seat["you"] for seat in self._state["seats"]) > 1 and not self._watching

    def _greet(self) -> None:
        state, terminal = self._state, self._terminal
        game = self._node.game(state["game"])
        terminal.wrapped(f"{game['title']}: {', '.join(self._names)}")
        options = option_words(game, state["options"])
        if options:
            terminal.wrapped(f"Options: {options}")
        terminal.print(f"Match {self._id}")
        if state["words"]:
            terminal.print(f"Six words: {terminal.paint(' '.join(state['words']), 'bold')}")
        if any(line["seat"] is not None for line in state["log"]):
            terminal.print(f"The match goes on at ply {state['ply']}. What happened last:")
            tell_lines(terminal, self._names, state["log"][-6:])
            self._told = state["ply"]
        for line in state["chat"][-5:]:
            self._talk.heard(line)
        terminal.print("Type ? for help.")
        if self._watching and state["view"] is not None:
            self._show_board()  # somebody who comes in between wants to know where it stands

    def _tell_new(self) -> None:
        state = self._state
        self._told = min(self._told, state["ply"])
        new = [line for line in state["log"] if line["ply"] >= self._told]
        self._told = state["ply"]
        tell_lines(self._terminal, self._names, [line for line in new if line["seat"] is not None or line["events"]])
        if new:
            self._waits = ""
        self._talk.tell_standing(state)

    def _say_waiting(self) -> None:
        seat = self._state["to_act"]
        if self._has_ended:
            self._waits_once("Waiting for the final signatures of all; q leaves without.")
        elif self._state["view"] is None:
            self._waits_once("The cards are being sealed by all together …")
        if seat is None or seat < 0 or self._state["status"] != "playing":
            return  # chance is at work: seconds; or something else is in the way, which is told
        if self._state["seats"][seat]["kind"] != "person":
            return  # a bot answers at once
        if self._state["seats"][seat]["you"] and not self._watching:
            self._waits_once("Your turn is on its way to the others.")
        else:
            self._waits_once(f"{self._names[seat]} is to act.")

    def _waits_once(self, text: str) -> None:
        if text != self._waits:
            self._waits = text
            self._terminal.print(self._terminal.paint(text, "dim"))

    def _ask(self) -> bool:
        """Show the position if it is a new one, and the prompt; False if nobody is there to answer."""
        state = self._state
        seat, draft = state["seat"], state["draft"]
        if self._is_shared and self._at_screen != seat:
            self._terminal.clear()
            name = self._names[seat]
            if self._curtain(f"It is the turn of {name}. Everybody else looks away; {name} presses Enter: ") is None:
                self._leaving = True
                return False
            self._at_screen, self._shown = seat, None
        position = (state["ply"], seat, tuple(draft["texts"]), guide_words(state))
        if position != self._shown:
            self._shown = position
            if not self._brief:
                self._show_board()
            self._show_draft()
            if guide_words(state):
                self._terminal.print()
                self._terminal.wrapped(guide_words(state))
            if not draft["must_commit"] and not reads_on(state):
                show_menu(self._terminal, state, brief=self._brief)
        self._terminal.prompt(self._terminal.paint(_prompt(state), "bold"))
        return True

    def _show_draft(self) -> None:
        """What is drafted, in sentences, and what giving up the rest would mean."""
        said = " ".join(sentences(self._state))
        if said:
            self._terminal.print()
            self._terminal.wrapped(f"Draft: {said}")
        if self._state["draft"]["ask"]:
            self._terminal.wrapped(self._state["draft"]["ask"])

    def _curtain(self, text: str) -> str | None:
        if self._held:
            self._terminal.prompt(text)
            self._terminal.answered(self._held[0])
            return self._held.popleft()
        return None if self._no_more else self._terminal.ask(text)

    def _show_board(self, public: bool = False) -> None:
        state = self._node.get(f"{self._path}?seat=none") if public else self._state
        if state["view"] is None:
            self._terminal.print("There is no board yet.")
            return
        self._terminal.print()
        view = {**state["view"], "names": self._names}
        self._terminal.lines(render(view, self._terminal.width, self._terminal.paint))

    def _show_map(self, side: str) -> None:
        """The map is public: everybody may look at it at any time."""
        view = self._state["view"]
        parts = map_parts(view, self._terminal.width, self._terminal.paint) if view is not None else {}
        if not parts:
            self._terminal.print("There is no map to be drawn; b shows the board.")
        for name, lines in parts.items():
            if not name or side not in parts or side == name:
                self._terminal.print()
                self._terminal.lines(lines)


def _prompt(state: Data) -> str:
    """What can be typed, besides a choice."""
    draft = state["draft"]
    if reads_on(state):
        return "Enter reads on, alone goes on without the guide > "
    undoes = "u undoes " if draft["can_undo"] else ""
    if draft["must_commit"]:
        return f"Enter confirms{', ' if undoes else ' '}{undoes}> "
    confirms = "c confirms, " if draft["may_commit"] and undoes else ""
    return f"{confirms}{undoes}> "


def _command(text: str) -> tuple[str, str]:
    """What a line begins with, in full: command word and rest; the whole line if it is not a command."""
    word, _, rest = text.removeprefix("/").partition(" ")
    if word == "L":
        return "log", "all"
    low = word.lower()
    return SHORT.get(low, low), rest.strip()
