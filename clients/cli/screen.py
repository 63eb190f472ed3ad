"""A network match at this terminal: the same screen as a local one, and what only a network has."""

from __future__ import annotations

from .api import Data, NetMatch
from .inbox import Moved, NetTerminal
from .story import tell
from .table import Table

HELP = """\
With others on the network:
  say TEXT     talk to the table           who  who is there, and the six words of the match
  vote NAME    go on without somebody who is gone, if all who remain agree; vote alone takes it back
  bye          leave for good, in order    q    leave this screen; the match goes on with kontor resume"""


class Screen(Table):
    """One network match; without a seat of one's own it is watched."""

    def __init__(self, match: NetMatch, terminal: NetTerminal, key: str, watching: bool = False) -> None:
        super().__init__(match, terminal)
        self._net = match
        self._tty = terminal
        self._key = key  # the match id: news of other matches are not for this screen
        self._watching = watching
        people = [number for number, seat in enumerate(self._info["seats"]) if seat["kind"] == "person"]
        self._home = people[0] if people else None  # the seat whose hand is shown
        self._told = len(match.log())
        self._waits = ""
        self._complete = False
        self._is_dead = False
        self._sure = False  # bye was typed once
        terminal.on_news = self._at_prompt

    # ---- the loop

    def run(self) -> None:
        """Play until the end is signed by all, or the player leaves."""
        super().run()
        status = self._match.status()
        if status["left"]:
            self._terminal.print("You have left the match in order.")
            return
        if status["kind"] != "over" or self._watching or self._tty.is_left:
            return
        if not self._complete:
            self._terminal.print("Waiting for the final signatures of all; q leaves without.")
        while not self._complete:
            item = self._tty.inbox.get()
            if item == "q" or (isinstance(item, dict) and item["news"] == "interrupt"):
                return
            if isinstance(item, dict):
                self._on_news(item)

    def say_saved(self) -> None:
        if not self._watching and not self._is_dead and not self._match.status()["left"]:
            self._terminal.print("The match is saved, and goes on with you whenever you come back: kontor resume")

    def _greet(self) -> None:
        super()._greet()
        self._terminal.print(f"Six words: {self._info['words']}")

    def _others(self) -> bool:
        """Wait for what others do, or for a line."""
        self._tell_new()
        status = self._match.status()
        if status["left"]:
            return False
        if status["kind"] != "auto":
            return True
        self._say_waiting(status)
        item = self._tty.inbox.get()
        if isinstance(item, str):
            return self._waiting_line(item)
        if item is not None and item["news"] == "interrupt":
            self._tty.is_left = True
            return False
        if item is not None and item["news"] == "eof" and self._home is not None:
            self._tty.is_left = True
            return False
        if item is not None:
            self._on_news(item)
        return not self._is_dead

    def _turn(self, seat: int) -> bool:
        self._tell_new()
        self._waits = ""
        try:
            return super()._turn(seat)
        except Moved:
            return True

    def _finish(self) -> bool:
        self._match.commit()
        return True

    def _tell_new(self) -> None:
        entries = self._match.log()[self._told :]
        self._told += len(entries)
        tell(self._terminal, self._words, entries)

    def _say_waiting(self, status: Data) -> None:
        seat = status["seat"]
        if seat is None or seat == self._home:
            return  # chance is at work, or our own turn is on its way: seconds
        text = f"{self._words.player(seat)} is to act."
        if text != self._waits:
            self._waits = text
            self._terminal.print(self._terminal.paint(text, "dim"))

    # ---- what is typed

    def _waiting_line(self, text: str) -> bool:
        match text:
            case "q":
                return False
            case "b":
                self._show_board(self._home)
            case "l":
                tell(self._terminal, self._words, self._match.log()[-12:])
            case "L":
                tell(self._terminal, self._words, self._match.log(), numbers=True)
            case "?" | "h" | "help":
                self._terminal.print("It is not your turn: b shows the board, l and L what happened.")
                self._terminal.lines(HELP.splitlines())
            case "":
                pass
            case _:
                if not self._other_command(text):
                    self._terminal.print("It is not your turn. ? helps.")
        return True

    def _answer(self, text: str, seat: int) -> None:
        super()._answer(text, seat)
        if text in ("?", "h", "help"):
            self._terminal.lines(HELP.splitlines())

    def _other_command(self, text: str) -> bool:
        word, _, rest = text.partition(" ")
        if word not in ("say", "vote", "bye", "who") or (self._watching and word != "who"):
            return False
        sure, self._sure = self._sure, word == "bye"
        try:
            match word:
                case "say" if rest:
                    self._net.chat(rest)
                case "vote":
                    self._net.vote([name.strip() for name in rest.split(",") if name.strip()])
                    self._terminal.print("Your vote is taken back." if not rest else "Your vote is sent.")
                case "bye" if sure:
                    self._net.bye()
                    self._terminal.print("Goodbye is said; it counts as soon as the match comes to you.")
                case "bye":
                    self._explain_bye()
                case _:
                    self._who()
        except Exception as error:  # the text is meant for people
            self._terminal.wrapped(f"Not possible: {error}")
        return True

    def _explain_bye(self) -> None:
        owners = {seat["kind"] == "elsewhere" for seat in self._info["seats"]}
        two = self._net.peers() == 2 and True in owners
        what = "the match ends and you lose it (a proven forfeit)" if two else "a stand-in plays your seat to the end"
        self._terminal.wrapped(
            f"bye leaves for good: your deck key is handed over and {what}. Type bye again to do it."
        )

    def _who(self) -> None:
        standing = self._net.standing()
        missing = ", ".join(standing["missing"])
        self._terminal.print(f"Six words: {self._info['words']}")
        self._terminal.print(f"Not connected: {missing}" if missing else "All are connected.")
        for name, gone in standing["votes"].items():
            self._terminal.print(f"{name} votes to go on without {', '.join(gone)}.")

    # ---- news

    def _at_prompt(self, news: Data) -> bool:
        """News while a question is open; a ply makes the question out of date."""
        if news["news"] == "ply" and len(self._match.log()) > self._told:
            raise Moved
        return self._on_news(news)

    def _on_news(self, news: Data) -> bool:
        """Tell it, if it is for people; True if something was printed."""
        if news.get("match", self._key) != self._key:
            return False
        text = self._sentence(news)
        if text:
            self._terminal.print()
            self._terminal.wrapped(text)
        return bool(text)

    def _sentence(self, news: Data) -> str:
        match news["news"]:
            case "chat":
                return f"{news['who']} says: {news['text']}"
            case "standing":
                return self._standing(news)
            case "dropped":
                return f"Your turn could not be sent: {news['reason']}"
            case "diverged":
                return (
                    f"This node and that of {news['who']} differ about the state. That is a defect, not foul play; "
                    "the match stops while the chain is replayed in a clean process."
                )
            case "healed":
                return "Everybody agrees about the state again; the match goes on."
            case "fault":
                return (
                    f"The node of {news['who']} signed what no honest node signs ({news['code']}: {news['detail']}). "
                    f"The proof lies beside {self._info['path']}."
                )
            case "ended" if news["how"] == "fault":
                self._is_dead = True
                return "The match cannot go on without them; it stays unfinished."
            case "completed":
                self._complete = True
                path = self._info["path"]
                return f"Signed by all. The whole match is in {path} ; check it with: kontor verify {path}"
            case "error":
                return str(news["reason"])
        return ""

    def _standing(self, news: Data) -> str:
        votes = [f"{name} votes to go on without {', '.join(gone)}." for name, gone in news["votes"].items()]
        if not news["missing"]:
            return " ".join(["All are connected.", *votes])
        names = ", ".join(news["missing"])
        plural = len(news["missing"]) > 1
        text = f"{names} {'are' if plural else 'is'} not connected. The match waits, and goes on when they are back."
        if self._info["recovery"] == "majority" and not votes and self._net.peers() > 2:
            text += f" If they do not come back: vote {names} (all who remain have to agree)."
        return " ".join([text, *votes])

    def _show_end(self) -> None:
        self._tell_new()
        if self._match.status()["result"] is not None:
            super()._show_end()
            return
        self._show_board(None)
        self._terminal.print()
        self._terminal.print("The match is over: a forfeit, because somebody left in order.")
