"""What only a match with other machines has: chat, who is there, votes to go on, goodbye, the grid."""

from __future__ import annotations

from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.text.grid_lines import print_grid, went_on_without
from kontor_games.clients.values import Data

from .inbox import LineTerminal

HELP = """\
With others on the network:
  say TEXT     talk to the table           who   who is there, and the six words of the match
  grid         how the others are reached  vote NAME  go on without somebody who is gone
  wait         take your vote back: wait   bye   leave for good, in order"""
WORDS = {"say", "vote", "wait", "bye", "who", "grid"}


class LineTalk:
    """The network side of one match at one terminal."""

    def __init__(self, node: NodeClient, terminal: LineTerminal, path: str, state: Data) -> None:
        self._node = node
        self._terminal = terminal
        self._path = path
        self._standing = self._stand(
            {**state, "waiting": None, "votes": {}, "faults": [], "put_out": None, "status": "playing"}
        )
        self._sure = False  # bye was typed once

    @staticmethod
    def knows(word: str) -> bool:
        """Whether this is one of our commands."""
        return word in WORDS

    def help(self, state: Data) -> None:
        """What can be typed besides."""
        if state["kind"] == "net":
            self._terminal.lines(HELP.splitlines())
        else:
            self._terminal.print("  bye          leave for good: a stand-in plays your seats to the end")

    def heard(self, line: Data) -> None:
        """Somebody said something."""
        self._terminal.wrapped(f"{line['name']} says: {line['text']}")

    def said(self, word: str, rest: str, state: Data) -> bool:
        """Carry out a command; False if it is none of ours."""
        sure, self._sure = self._sure, word == "bye"
        if word not in WORDS:
            return False
        if state["kind"] != "net" and word != "bye":
            self._terminal.print("That is for matches with other machines.")
        elif state.get("watching") and word not in ("who", "grid"):
            self._terminal.print("You only watch: you can ask who and grid.")
        else:
            self._carry_out(word, rest, state, sure)
        return True

    def _carry_out(self, word: str, rest: str, state: Data, sure: bool) -> None:
        match word:
            case "say" if rest:
                self._node.post(f"{self._path}/chat", {"text": rest[:500]})
            case "say":
                self._terminal.print("say wants a text, as say good luck")
            case "vote":
                self._vote(rest, state)
            case "wait":
                self._node.post(f"{self._path}/wait")
                self._terminal.print("You wait; a vote of yours is taken back.")
            case "grid" if state["watching"]:
                self._terminal.print("You only watch; the players see how they reach each other.")
            case "grid":
                print_grid(self._terminal, _named(state), state.get("pairs", ()))
            case "who":
                self._who(state)
            case "bye" if sure:
                self._node.post(f"{self._path}/bye")
                self._terminal.print("Goodbye is said; it counts as soon as the match comes to you.")
            case "bye":
                self._explain_bye(state)

    def _vote(self, rest: str, state: Data) -> None:
        wanted = [name.strip().lower() for name in rest.split(",") if name.strip()]
        peers: set[int] = set()
        for name in wanted:
            found = {seat["peer"] for seat in state["seats"] if seat["name"].lower() == name}
            if not found:
                self._terminal.wrapped(f"Nobody at the table is called {name}.")
                return
            peers |= found
        if not peers:
            self._terminal.print("vote wants a name, as vote Bruno; wait takes a vote back.")
            return
        self._node.post(f"{self._path}/vote", {"peers": sorted(peers)})
        self._terminal.print("Your vote is sent; it counts once all who remain have voted the same.")

    def _explain_bye(self, state: Data) -> None:
        peers = {seat["peer"] for seat in state["seats"] if not seat["gone"]}
        two = state["kind"] == "net" and len(peers) == 2
        what = "the match ends and you lose it (a proven forfeit)" if two else "a stand-in plays your seat to the end"
        handed = "your deck key is handed over and " if state["kind"] == "net" else ""
        self._terminal.wrapped(f"bye leaves for good: {handed}{what}. Type bye again to do it.")

    def _who(self, state: Data) -> None:
        self._terminal.print(f"Six words: {' '.join(state['words'])}")
        for number, seat in enumerate(state["seats"]):
            what = [
                "you" if seat["you"] else "" if seat["kind"] == "person" else seat["kind"],
                "gone, a stand-in plays" if seat["gone"] else "",
                "to act" if state["to_act"] == number else "",
            ]
            told = ", ".join(filter(None, what))
            self._terminal.print(f"  {number + 1}  {seat['name']}{f' ({told})' if told else ''}")
        self._terminal.wrapped(self._sentences(self._stand(state), state) or "All are connected.")
        if state["spectators"] and state["addresses"]:
            mark = self._node.hello["node"]["fingerprint"]
            self._terminal.print("Others can watch: kontor watch on this network; from elsewhere")
            self._terminal.print(f"  kontor watch {state['addresses'][0]} {mark} {state['match']}")

    # ---- who is missing, who votes, what is wrong

    def tell_standing(self, state: Data) -> None:
        """Tell what has changed about the people and the match as a whole."""
        now = self._stand(state)
        if now != self._standing:
            before, self._standing = self._standing, now
            text = self._sentences(now, state)
            if text:
                self._terminal.wrapped(text)
            elif before["missing"] and state["status"] != "over":
                self._terminal.print("All are connected again.")

    def _stand(self, state: Data) -> Data:
        waiting = state["waiting"] or {"for": [], "can_vote": False}
        rematch = state.get("rematch")
        return {
            "grace": bool(waiting.get("grace")),
            "rematch": [] if rematch is None or rematch["mine"] else rematch["by"],
            "missing": waiting["for"],
            "can_vote": waiting["can_vote"],
            "votes": state.get("votes", {}),
            "faults": state.get("faults", []),
            "put_out": state.get("put_out"),
            "stopped": state["status"] == "stopped",
        }

    def _sentences(self, standing: Data, state: Data) -> str:
        parts = [f"{text}." for text in standing["faults"]]
        if standing["put_out"]:
            parts.append(went_on_without(standing["put_out"]))
        if standing["stopped"]:
            parts.append(
                "The match is stopped: the nodes differ about the state, or somebody broke the rules of the table. If "
                "it was a defect, it goes on by itself once the chain is replayed and all agree."
            )
        missing = ", ".join(_people(state, peer) for peer in standing["missing"])
        if missing:
            verb = "are" if len(standing["missing"]) > 1 else "is"
            parts.append(f"{missing} {verb} not connected. The match waits, and goes on when they are back.")
            if standing["grace"]:
                parts.append(f"In {state['waiting']['grace']} s the others may go on without them, if all agree.")
            if standing["can_vote"] and not standing["votes"]:
                parts.append(f"If they do not come back: vote {missing} (all who remain have to agree).")
        for peer, gone in standing["votes"].items():
            who = ", ".join(_people(state, each) for each in gone)
            parts.append(f"{_people(state, int(peer))} votes to go on without {who}.")
        if standing["rematch"]:
            parts.append(f"{', '.join(standing['rematch'])} would play again: kontor rematch {state['id'][:8]}")
        return " ".join(parts)


def _people(state: Data, peer: int) -> str:
    return ", ".join(seat["name"] for seat in state["seats"] if seat["peer"] == peer)


def _named(state: Data) -> list[Data]:
    return [{"name": _people(state, row["peer"]), **row} for row in state["grid"]]
