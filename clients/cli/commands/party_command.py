"""`kontor party`: phones in the same Wi-Fi play at this machine's table; who knocks, who is here, and the end of it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from kontor_games.clients.cli.common import ME, at_node, called
from kontor_games.clients.cli.match.inbox import LineTerminal
from kontor_games.clients.cli.match.table_lines import say_chat, say_terms, say_words, seat_state
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.text.lobby_words import marked
from kontor_games.clients.text.qr_lines import INK, qr_lines
from kontor_games.clients.values import Data

from .play_command import game_options

HELP = """\
  y, n           let the phone in that asks, or refuse it
  r, ready       begin the match, once every seat is taken
  qr             the code for the next free seat      qr 2, qr watch, qr screen   another one
  replace 2      a code for another phone on seat 2   remove NAME                 take a phone out
  new            other codes and links                who                         who is here
  say TEXT       talk to the table, before the match  q, quit                     end the party (Ctrl-C, too)"""


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("game", required=False)
@click.option("--seats", type=click.IntRange(2, 8), help="Players, you and bots included; without it as few as can be.")
@ME
@click.option("--bots", type=click.IntRange(0, 6), default=0, help="Bots that play too.")
@click.option("--phones-only", is_flag=True, help="You do not play: every seat is for a phone or a bot.")
@click.option("--spectators/--no-spectators", default=True, show_default=True, help="Let others watch.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port of the door; without it 7480, or a free one if that is taken.",
)
@click.option("--address", default="", help="The address of this machine that phones should use, if it has several.")
@click.option("--tls", is_flag=True, help="Use HTTPS with a certificate of your own; every phone will ask about it.")
@click.pass_context
def command(context: click.Context, /, game: str | None, name: str | None, port: int | None, **wish: Any) -> None:
    """Open a table of GAME and let phones in the same Wi-Fi take its seats; they need a browser and nothing else.

    Each phone scans a code, you say yes, and when every seat is taken you begin. Your own seat is played with
    kontor resume or in your browser. Other machines can join the same table with kontor join. Without GAME: go on with
    the party, the table or the match that is open. Options of the game follow as --name value.
    """
    with at_node() as (node, terminal):
        try:
            table = None if game is None else _open_table(node, game, name, wish, context.args)
            where = {"table": table} if table else _where(node)
            more = {"address": wish["address"], "tls": wish["tls"], **({} if port is None else {"port": port})}
            try:
                party = node.post("party", {**where, **more}) if where else node.get("party")
            except (Refused, KeyboardInterrupt):
                _leave(node, table)
                raise
        except Refused as error:
            raise click.ClickException(str(error)) from None
        terminal.inbox.listen()
        PartyFlow(node, terminal, party, table).run()


def _open_table(node: NodeClient, game: str, name: str | None, wish: dict[str, Any], rest: list[str]) -> str:
    record = node.game(game)
    seats = wish["seats"] or min(record["seats"])
    if seats not in record["seats"]:
        raise click.UsageError(f"{record['title']} is for {', '.join(map(str, record['seats']))} players, not {seats}")
    own = 0 if wish["phones_only"] else 1
    if own + wish["bots"] >= seats:
        raise click.UsageError(f"{seats} seats with {wish['bots']} bots leave none for phones")
    options = game_options(record, rest)
    body = {"game": game, "seats": seats, "options": options, "spectators": wish["spectators"]}
    table = str(node.post("tables", body)["id"])
    try:
        if own:
            node.post(f"tables/{table}/sit", {"seat": 0, "name": called(node, name)})
        for number in range(wish["bots"]):
            node.post(f"tables/{table}/bot", {"seat": seats - 1 - number, "name": f"Bot {number + 1}"})
    except (Refused, KeyboardInterrupt):
        _leave(node, table)
        raise
    return table


def _where(node: NodeClient) -> dict[str, str]:
    """The table or the match that is meant without a word: the only one there is."""
    if node.get("party")["open"]:
        return {}
    tables = [row for row in node.get("tables")["tables"] if row["at"] and row["phase"] == "open"]
    matches = [row for row in node.get("matches")["matches"] if row["status"] != "over" and _may_be_lent(node, row)]
    if not tables and not matches:
        raise click.UsageError("which game? There is no table or match here yet: kontor party GAME")
    if len(tables or matches) > 1:
        what = "tables" if tables else "matches"
        raise click.UsageError(
            f"which one? There are {len(tables or matches)} {what} here: open the right one in the browser (kontor) "
            "and choose Invite phones, or open another table with kontor party GAME"
        )
    return {"table": str(tables[0]["id"])} if tables else {"match": str(matches[0]["id"])}


def _may_be_lent(node: NodeClient, match: Data) -> bool:
    """Whether phones may play in it: on this machine, or, among machines, where a seat was taken for a guest."""
    if match["kind"] == "local":
        return True
    return any(seat["guest"] for seat in node.get(f"matches/{match['id']}")["seats"])


def _leave(node: NodeClient, table: str | None) -> None:
    """Leave a table that was opened for the party: without it, it would stay in everybody's lists."""
    if table is not None:
        with suppress(Refused, OSError):
            node.post(f"tables/{table}/leave")


class PartyFlow:
    """The host at the terminal."""

    def __init__(self, node: NodeClient, terminal: LineTerminal, party: Data, table: str | None) -> None:
        self._node = node
        self._terminal = terminal
        self._party = party
        self._table = table  # if it was opened for this party
        self._told: dict[str, str] = {}  # what was said last about each guest, and each seat of another machine
        self._asked = ""  # the guest about whom the person is asked
        self._asked_seat: int | None = None  # and the seat that the question named
        self._asks = ""  # the question
        self._stage = ""  # what was said last about the table
        self._sight = ""  # the table as it was looked at last
        self._mark = ""  # how the hash of the bundle begins that was told of
        self._words: list[str] = []  # of the terms that were signed last
        self._is_ready = False  # whether the host has agreed to the table, as far as was told
        self._shut_out: list[str] = []  # addresses whose wrong codes were told of
        self._shown: str | None = None  # the link of the code on the screen

    def run(self) -> None:
        """Until the party ends."""
        terminal = self._terminal
        try:
            self._greet()
            self._look(self._party)
            while self._party["open"]:
                item = terminal.inbox.get()
                if isinstance(item, str):
                    terminal.answered(item)
                    self._typed(item)
                elif item is not None and item["kind"] in ("eof", "stopped"):
                    break
                elif item is not None:
                    self._event(item)
                if self._asked:
                    terminal.prompt(self._asks)
        except KeyboardInterrupt:
            terminal.print()
        is_waiting = self._party["open"] and self._party["match"] is None
        with suppress(Refused, OSError):
            self._node.delete("party")
        if is_waiting and self._party["table"] == self._table:
            _leave(self._node, self._table)
        terminal.print("The door is closed; every phone was told.")

    def _event(self, event: Data) -> None:
        """Something has happened at the node."""
        if event["kind"] == "chat" and event["id"] == self._party["table"]:
            say_chat(self._terminal, event["line"])
        elif event["kind"] in ("party", "table", "reset"):
            self._look(self._node.get("party"))

    def _greet(self) -> None:
        terminal, party = self._terminal, self._party
        terminal.wrapped(f"Phones in the same Wi-Fi can play now: {self._node.game(party['game'])['title']}.")
        terminal.wrapped("Guests play at your machine; everybody at the table sees that you could look at their cards.")
        if (name := str(self._node.hello["node"]["name"])) in party["names"]:
            terminal.wrapped(f"You play as {name}; kontor party --me NAME gives you another name.")
        others = [url for url in party["addresses"] if url != party["url"]]
        if others:
            terminal.wrapped(
                f"This machine is also at {_and(others)}. If phones do not reach {party['url']}, "
                "end the party and begin it with --address and the one of your Wi-Fi."
            )
        if party["tls"]:
            terminal.wrapped(f"Phones will warn about the certificate. Its fingerprint is {party['tls']}")

    def _look(self, party: Data) -> None:
        """Tell what has changed."""
        terminal = self._terminal
        self._party = party
        if not party["open"]:
            return
        if self._asked and not any(guest["id"] == self._asked and not guest["accepted"] for guest in party["guests"]):
            self._asked = ""
        view = self._table_view()
        lines = self._lines(view)
        for who, line in lines.items():
            if self._told.get(who) != line:
                terminal.wrapped(line)
        self._told = lines
        for where in party["shut_out"]:
            if where not in self._shut_out:
                terminal.wrapped(
                    f"Three wrong codes were typed at {where}. If it was one of you: new makes other codes."
                )
        self._shut_out = party["shut_out"]
        if (mark := party["bundle_mark"]) not in ("", self._mark):
            self._mark = mark
            terminal.wrapped(f"Computers without Kontor get it at {party['bundle']} (SHA-256: {mark} …)")
        if view is not None and view["words"] and view["words"] != self._words:
            self._words = view["words"]
            say_words(terminal, view["words"])
        self._say_once(party, view)
        self._question()

    def _table_view(self) -> Data | None:
        """The table as it is now, or as it was when its match began; None without one, and on the way to one."""
        if self._party["table"] is None:
            return None
        try:
            view: Data = self._node.get(f"tables/{self._party['table']}")
        except Refused:
            return None
        return view

    def _lines(self, view: Data | None) -> dict[str, str]:
        """A line about each guest, and about whoever sits at the table with another machine."""
        lines = {guest["id"]: _line(guest) for guest in self._party["guests"]}
        seats = [] if view is None or self._party["match"] is not None else view["seats"]
        for number, seat in enumerate(seats, 1):
            if seat["name"] and not seat["you"]:
                what = ", ".join(filter(None, ("at another computer", seat_state(seat))))
                lines[f"seat {number}"] = f"{marked(seat['name'], seat['mark'])}, seat {number}: {what}"
        return lines

    def _say_once(self, party: Data, view: Data | None) -> None:
        """How far the table is."""
        if party["match"] is not None:
            self._is_ready = False
            stage = "The match has begun. Play your own seat with kontor resume in another terminal, or in the browser."
        else:
            is_full = party["names"] and all(party["names"])  # no names: on the way to the table of a rematch
            stage = "Every seat is taken. r begins the match." if is_full else ""
            if self._is_ready and view is not None and view["phase"] == "open" and not view["you_ready"]:
                self._is_ready, self._stage = False, ""
                self._terminal.print("The table has changed since you were ready.")
        seen = f"{party['match']} {stage}"  # a rematch is another match
        if party["match"] is None and stage and view is not None and not all(seat["you"] for seat in view["seats"]):
            seen += view["sight"]
            if seen != self._stage:  # a match among machines has terms, to which people agree as they are shown
                say_terms(self._terminal, self._node.game(view["game"]), view)
                self._terminal.wrapped("Type r when you agree and are ready.")
        elif stage and seen != self._stage:
            self._terminal.wrapped(stage)
        self._stage = seen
        self._sight = "" if view is None else view["sight"]

    def _question(self) -> None:
        waiting = [guest for guest in self._party["guests"] if not guest["accepted"] and _has_chosen(guest)]
        if waiting and not self._asked:
            guest = waiting[0]
            self._asked, self._asked_seat = guest["id"], guest["seat"]
            if guest["words"]:
                self._terminal.print("They typed the code. Their screen must show these words:")
                self._terminal.print("  " + self._terminal.paint(" ".join(guest["words"]), "bold"))
            if (before := self._holder(guest)) is not None:
                self._terminal.wrapped(f"{before['name']}'s phone plays there now, and would be out.")
            self._asks = f"{_wish(guest)} Let them in? y or n: "
            self._terminal.prompt(self._asks)
        elif not waiting and not any(each["url"] == self._shown for each in self._party["links"]):
            self._code("")

    def _holder(self, guest: Data) -> Data | None:
        """The phone that has the seat for which another one asks."""
        there = [each for each in self._party["guests"] if each["accepted"] and each["kind"] == "seat"]
        return next((each for each in there if each["seat"] == guest["seat"]), None)

    def _code(self, what: str) -> None:
        """Show a code: of a seat, for watching, for a big screen; without a word that of the next free seat."""
        links = self._party["links"]
        if what in ("watch", "screen"):
            found = [each for each in links if each["kind"] == what]
        else:
            found = [each for each in links if each["kind"] == "seat" and what in ("", str(each["seat"] + 1))]
        if not found:
            if what:
                self._terminal.print("There is no such code now; replace 2 makes one for a seat that has a phone.")
            return
        link = found[0]
        self._shown = link["url"]
        title = self._seat(link["seat"]) if link["kind"] == "seat" else link["kind"].capitalize()
        if self._terminal.colour:
            self._terminal.lines(self._terminal.paint(line, INK) for line in qr_lines(link["url"]))
        self._terminal.print(f"{self._terminal.paint(title, 'bold')}: {link['url']}")
        code = self._terminal.paint(self._party["code"], "bold")
        self._terminal.print(f"or type {self._party['url']} and the code {code}   (? for help)")

    def _seat(self, seat: int) -> str:
        """«Seat 2», or «Seat 2 (Bruno)»."""
        name = next(iter(self._party["names"][seat : seat + 1]), None)  # there may be no table just now
        return f"Seat {seat + 1} ({name})" if name else f"Seat {seat + 1}"

    def _typed(self, text: str) -> None:
        word, _, rest = text.removeprefix("/").partition(" ")
        try:
            self._do(word.lower(), rest.strip())
        except Refused as error:
            self._terminal.wrapped(str(error))
            self._asked = ""
            self._look(self._node.get("party"))

    def _ready(self, party: Data) -> None:
        """Agree to the table, once it is full."""
        free = [str(number) for number, name in enumerate(party["names"], 1) if not name]
        if free:
            seats = f"Seats {_and(free)} are" if len(free) > 1 else f"Seat {free[0]} is"
            self._terminal.wrapped(f"{seats} still free. Every seat needs somebody before you can begin.")
            return
        self._node.post(f"tables/{party['table']}/ready", {"sight": self._sight})
        self._is_ready = True
        self._terminal.print("You are ready.")
        self._look(self._node.get("party"))

    def _do(self, word: str, rest: str) -> None:
        node, party = self._node, self._party
        match word:
            case "y" | "yes" | "n" | "no" if self._asked:
                asked, self._asked = self._asked, ""
                yes = word in ("y", "yes")
                body = {"guest": asked, "seat": self._asked_seat} if yes else {"guest": asked}
                self._look(node.post(f"party/{'accept' if yes else 'remove'}", body))
            case "r" | "ready" if party["match"] is None:
                self._ready(party)
            case "qr":
                self._code(rest.lower())
            case "replace" if rest.isdigit() and int(rest) > 0:
                self._party = node.post("party/invite", {"seat": int(rest) - 1})
                self._code(rest)
            case "remove":
                found = [guest for guest in party["guests"] if guest["name"].casefold() == rest.casefold()]
                if not found:
                    self._terminal.print(f"There is no guest called {rest}." if rest else "Whom? remove NAME")
                for guest in found[:1]:
                    looked = node.post("party/remove", {"guest": guest["id"]})
                    self._terminal.print(f"{guest['name']}'s phone is out.")
                    self._look(looked)
            case "say" if rest and party["match"] is None:
                node.post(f"tables/{party['table']}/chat", {"text": rest[:500]})
            case "new":
                self._look(node.post("party/renew"))
            case "who":
                held = {guest["seat"] for guest in party["guests"] if guest["accepted"]}
                links = [link["seat"] for link in party["links"] if link["kind"] == "seat"]
                open_seats = [f"{self._seat(seat)}: no phone" for seat in links if seat not in held]
                lines = [*self._lines(self._table_view()).values(), *open_seats]
                self._terminal.lines(lines or ["No phone yet."])
            case "q" | "quit":
                raise KeyboardInterrupt
            case "":
                pass
            case _:
                self._terminal.lines(HELP.splitlines())


def _and(words: list[str]) -> str:
    """«2, 3 and 4»."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _has_chosen(guest: Data) -> bool:
    return guest["seat"] is not None or guest["kind"] != "seat"


def _wish(guest: Data) -> str:
    """«Bruno's phone wants seat 2.»"""
    if guest["seat"] is not None:
        return f"{guest['name']}'s phone wants seat {guest['seat'] + 1}."
    return f"{guest['name']} wants {'to be a big screen' if guest['kind'] == 'screen' else 'to watch'}."


def _line(guest: Data) -> str:
    """«Bruno, seat 2: connected»."""
    place = "chooses a seat" if guest["kind"] == "seat" else str(guest["kind"])
    if guest["seat"] is not None:
        place = f"seat {guest['seat'] + 1}"
    waits = "" if guest["accepted"] or not _has_chosen(guest) else ", waits for your answer"
    return f"{guest['name']}, {place}: {'connected' if guest['here'] else 'not connected'}{waits}"
