"""What a person types on their turn, as requests to the node: numbers of the menu, notation, undo, commit."""

from __future__ import annotations

import re

from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.text.choice_groups import choices_of
from kontor_games.clients.values import Data


class Drafting:
    """The draft of one match; every call answers with the match as it is now."""

    def __init__(self, node: NodeClient, path: str) -> None:
        self._node = node
        self._path = path

    def add(self, state: Data, text: str) -> Data:
        """Draft what was typed (menu numbers or notation, several parted by , or ;): all of it, or Refused."""
        parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
        if not parts:
            raise Refused(400, "bad-request", "nothing was typed")
        before = state["draft"]["steps"]
        for part in parts:
            try:
                state = self._post("draft", state, text=_from_menu(state, part.removeprefix("/")))
            except Refused as error:
                if state["draft"]["steps"] != before:
                    self._post("undo", state, to=len(before))
                raise Refused(error.status, error.code, f"{part}: {error}" if len(parts) > 1 else str(error)) from None
        return state

    def change(self, what: str, state: Data) -> Data:
        """undo, redo, discard or commit."""
        return self._post(what, state)

    def explain(self, state: Data, text: str) -> str:
        """What an action would do, or why it cannot be done."""
        told = self._node.post(f"{self._path}/explain", {"seat": state["seat"], "text": _from_menu(state, text)})
        if not told["legal"]:
            return f"Not possible: {told['reason']}"
        return " ".join(line["say"] for line in told["events"] if line["say"]) or "Nothing that could be told."

    def hint(self) -> str:
        """What an expert would do."""
        told = self._node.post(f"{self._path}/hint")
        chance, worlds = told["chance"], told["worlds"]
        said = (
            f"{told['phrase']}. The expert sees a chance to win of about {chance} % with it, "
            f"after trying {worlds} continuations."
        )
        other = told["next"]
        if other is None:
            return said
        order = "The next best" if other["chance"] < chance else "About as good"
        return f"{said} {order}: {other['phrase']} (about {other['chance']} %)."

    def _post(self, what: str, state: Data, **body: str | int) -> Data:
        answer: Data = self._node.post(f"{self._path}/{what}", {"seat": state["seat"], **body})
        return answer


def _from_menu(state: Data, text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        return text
    menu = choices_of(state)
    if not menu:
        raise Refused(400, "bad-request", "nothing is left to choose: press Enter to confirm, or type undo")
    if not 1 <= int(text[:4]) <= len(menu) or len(text) > 4:
        raise Refused(400, "bad-request", f"the menu has numbers 1 to {len(menu)}")
    return str(menu[int(text) - 1]["text"])
