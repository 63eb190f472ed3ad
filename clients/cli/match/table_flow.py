"""A table until its match begins: sit down, agree to the terms, compare six words. Yields the match's id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.text.game_options import read_option
from kontor_games.clients.text.grid_lines import print_grid
from kontor_games.clients.text.lobby_words import lobby_says
from kontor_games.clients.values import Data

from .inbox import LineTerminal
from .table_lines import say_chat, say_terms, say_words, seat_line

HELP = """\
  r, ready       agree to the table as shown     unready        take that back
  table          show it again                   grid           how the others are reached
  say TEXT       talk to the table               q, quit        leave the table
For the host:
  bot KIND       seat a bot on a free seat       kick SEAT      send somebody away
  set NAME VALUE change an option of the game
  recovery KIND  majority or none: what happens if somebody leaves or is lost
  grace TIME     how long others wait before they go on: 120, 10 minutes, 1 day"""
UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400}
AGREE = "Type r when you agree and are ready, q to leave, ? for help."


class TableFlow:
    """One person, and perhaps bots of theirs, at one table."""

    def __init__(
        self, node: NodeClient, terminal: LineTerminal, table: str, wishes: Sequence[tuple[str, str]], auto: bool
    ) -> None:
        self._node = node
        self._terminal = terminal
        self._path = f"tables/{table}"
        self._id = table
        self._wishes = list(wishes)  # (name, kind) for each seat that this node wants; kind `person` or a bot's
        self._auto = auto  # agree without asking
        self._view: Data = {}
        self._pending = False  # a seat was asked for, and the keeper has not answered
        self._shown = ""
        self._asked = -1  # the revision at which the person was asked to agree
        self._agreed = -1  # the revision at which we agreed without asking
        self._words = ""
        self._refused = ""  # what was said last; said again only after the person has typed something
        self._left = ""  # why the table is over for us
        self._match: str | None = None

    def run(self) -> str | None:
        """Sit down, agree, sign; the match's id, or None if the person leaves or the table is gone."""
        try:
            self._look(self._node.get(self._path))
            while self._match is None and not self._left:
                item = self._terminal.inbox.get()
                if isinstance(item, str):
                    self._terminal.answered(item)
                    self._typed(item)
                elif item is not None:
                    self._event(item)
        except KeyboardInterrupt:
            self._leave()
        if self._match is None:
            self._terminal.wrapped(self._left)
        return self._match

    # ---- what the table tells

    def _event(self, event: Data) -> None:
        match event["kind"]:
            case "table" if event["id"] == self._id:
                if "signed" in event:
                    self._say_words(event["words"])
                elif "started" in event:
                    self._look(self._node.get(self._path))
                elif "table" in event and event["table"]["revision"] >= self._view["revision"]:
                    self._look(event["table"])  # older ones were on their way when we looked
            case "notice" if event.get("id") == self._id:
                self._notice(event.get("about", ""), event["text"])
            case "notice" if (said := lobby_says(event)) is not None:
                self._terminal.wrapped(said)
            case "chat" if event["id"] == self._id:
                say_chat(self._terminal, event["line"])
            case "lobby" if self._view.get("where") == "lobby":
                self._terminal.wrapped(
                    "The lobby is reached again."
                    if event["up"]
                    else f"The lobby is not reached ({event['reason']}); it is tried again."
                )
            case "reset":  # the node was started anew; a table at another node is entered again by nobody
                self._again()
            case "stopped":
                self._left = f"The node was stopped: the table is left. {event['reason']}".strip()
            case "eof" if not self._auto:
                self._leave()

    def _again(self) -> None:
        try:
            self._look(self._node.get(self._path))
        except Refused:
            self._left = "The node had to be started again and is no longer at the table; join again."

    def _look(self, view: Data) -> None:
        self._pending = self._pending and view["revision"] == self._view.get("revision")
        self._view = view
        if view["words"] and not self._words:
            self._say_words(view["words"])
        if view["match"]:
            self._match = str(view["match"])
        if view["phase"] != "open":
            return
        self._words = ""
        self._sit()
        if self._view is not view:
            return  # our own table answered at once, and that was looked at
        self._show()
        if self._is_full and self._asked != view["revision"]:
            self._asked = view["revision"]
            self._ask()
        sits = any(seat["you"] for seat in view["seats"])
        if self._auto and sits and self._is_full and self._agreed != view["revision"] and not view["notice"]:
            # After a start that came to nothing a person has to try first: two programs would try for ever.
            self._agreed = view["revision"]
            self._agree()

    def _notice(self, about: str, text: str) -> None:
        self._pending = False
        if about == "sit" and self._wishes and "is called" in text:
            name, kind = self._wishes[0]
            self._wishes[0] = (_next_name(name), kind)
            self._sit()
        elif about == "sit" and self._wishes and ("is taken" in text or "is free" in text):
            pass  # somebody was faster: the table as it is now comes, or has come, and another seat is asked for
        elif about == "sit" and self._wishes:
            self._wishes.pop(0)
            self._refuse(text)
        elif about in ("gone", "table", "remove"):
            self._left = f"You are no longer at the table: {text}."
        elif about == "start" and not any(seat["you"] for seat in self._view["seats"]):
            self._leave()
            self._left = f"You are no longer at the table: {text}."
        else:
            self._refuse(text)

    def _refuse(self, text: str) -> None:
        """Once: what was asked is answered with it, and it comes as an event too."""
        if text != self._refused:
            self._refused = text
            self._terminal.wrapped(f"Refused: {text}")

    def _say_words(self, words: Sequence[str]) -> None:
        self._words = " ".join(words)
        say_words(self._terminal, words)

    # ---- what we want

    def _sit(self) -> None:
        """Take the next seat of those this node wants; the keeper answers with the changed table, or a notice."""
        seats = self._view["seats"]
        mine = [seat["name"] for seat in seats if seat["you"]]
        self._wishes = [wish for wish in self._wishes if wish[0] not in mine]
        if not self._wishes or self._pending:
            return
        if all(seat["name"] for seat in seats):
            return
        name, kind = self._wishes[0]
        self._pending = True
        self._do("sit", {"name": name}) if kind == "person" else self._do("bot", {"kind": kind, "name": name})

    def _do(self, what: str, body: Data | None = None) -> None:
        """Say it to the keeper: our own answers at once, another one by events."""
        try:
            view = self._node.post(f"{self._path}/{what}", body)
        except Refused as error:
            self._notice(what if what != "bot" else "sit", str(error))
            return
        if view and (self._view["host_is_you"] or view["revision"] != self._view["revision"]):
            self._look(view)

    @property
    def _is_full(self) -> bool:
        return all(seat["name"] for seat in self._view["seats"])

    def _ask(self) -> None:
        view = self._view
        if not any(seat["you"] for seat in view["seats"]):
            self._terminal.print("All seats are taken; you will watch as soon as the match begins. q leaves.")
            return
        self._terminal.print()
        say_terms(self._terminal, self._node.game(view["game"]), view)
        if view["host_is_you"]:
            self._say_other()
        whose = "Your" if view["host_is_you"] else f"The host {view['host']}'s"
        self._terminal.wrapped(f"{whose} key in words: {' '.join(view['host_words'])}.")
        if not self._auto:
            self._terminal.print(AGREE)

    def _agree(self) -> None:
        """To the table that was shown here, which may not be the newest."""
        self._do("ready", {"sight": self._view["sight"]})

    def _say_other(self) -> None:
        """What the host could choose instead, beside what is chosen."""
        for choice in self._view["choices"]:
            if choice["id"] != self._view["recovery"]:
                self._terminal.wrapped(f"Instead, with recovery {choice['id']}: {choice['text']}")

    # ---- what is typed

    def _typed(self, text: str) -> None:
        self._refused = ""
        word, _, rest = text.removeprefix("/").partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "q": lambda _: self._leave(),
            "r": self._ready,
            "unready": lambda _: self._do("unready"),
            "table": self._show_again,
            "grid": lambda _: print_grid(self._terminal, self._view["grid"]),
            "say": self._say,
            "bot": lambda kind: self._do("bot", {"kind": kind} if kind else {}),
            "kick": self._kick,
            "set": self._set,
            "recovery": self._recovery,
            "grace": self._grace,
            "?": lambda _: self._terminal.lines(HELP.splitlines()),
        }
        named = {"quit": "q", "ready": "r", "y": "r", "yes": "r", "help": "?", "h": "?", "b": "table"}
        action = commands.get(named.get(word.lower(), word.lower()))
        if action is not None:
            action(rest.strip())
        elif text:
            self._terminal.print(AGREE)

    def _ready(self, _: str) -> None:
        if self._is_full:
            self._agree()
        else:
            self._terminal.print("Not all seats are taken yet.")

    def _show_again(self, _: str) -> None:
        self._shown = ""
        self._show()

    def _say(self, text: str) -> None:
        try:
            self._node.post(f"{self._path}/chat", {"text": text[:500]}) if text else None
        except Refused as error:
            self._terminal.wrapped(f"Not possible: {error}")

    def _kick(self, text: str) -> None:
        seats = self._view["seats"]
        wanted = [
            seat for number, seat in enumerate(seats, 1) if seat["name"] and text.lower() in (str(number), _low(seat))
        ]
        if wanted:
            self._do("remove", {"peer": wanted[0]["peer"]})
        else:
            self._terminal.print("Nobody sits there; kick wants a seat's number or a name.")

    def _set(self, text: str) -> None:
        name, _, value = text.partition(" ")
        try:
            option = read_option(self._node.game(self._view["game"]), name.replace("-", "_").lstrip("_"), value.strip())
        except Exception as error:  # click's complaint, worded for people
            self._terminal.wrapped(f"Not possible: {getattr(error, 'message', error)}")
            return
        self._do("configure", {"options": {name.replace("-", "_").lstrip("_"): option}})

    def _recovery(self, kind: str) -> None:
        if kind in ("majority", "none"):
            self._do("configure", {"recovery": kind})
            return
        for choice in self._view["choices"]:
            self._terminal.wrapped(f"recovery {choice['id']}: {choice['text']}")
        if not self._view["choices"]:
            self._terminal.wrapped(self._view["says"][0]["text"])

    def _grace(self, text: str) -> None:
        number, _, unit = text.lower().partition(" ")
        size = next((size for name, size in UNITS.items() if name.startswith(unit)), 0)
        if number.isascii() and number.isdigit() and len(number) < 8 and size:
            self._do("configure", {"grace": int(number) * size})
        else:
            self._terminal.wrapped("Not possible: grace wants a time such as 120, 10 minutes or 1 day; 0 is none.")

    def _leave(self) -> None:
        self._left = "You have left the table."
        with suppress(Refused):  # it is gone already
            self._node.post(f"{self._path}/leave")

    # ---- what is shown

    def _show(self) -> None:
        view = self._view
        lines = [f"  {number}  {seat_line(seat)}" for number, seat in enumerate(view["seats"], 1)]
        lines += [f"  {text}" for text in dict.fromkeys([view["notice"], *view["updates"]]) if text]
        text = "\n".join(lines)
        if text != self._shown:
            self._shown = text
            self._terminal.print("The table:")
            self._terminal.lines(lines)


def _low(seat: Any) -> str:
    return str(seat["name"]).lower()


def _next_name(name: str) -> str:
    """«Anna», «Anna 2», «Anna 3» …"""
    word, space, number = name.rpartition(" ")
    return f"{word} {int(number) + 1}" if space and number.isdigit() else f"{name[:22]} 2"
