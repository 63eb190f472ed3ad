"""The player's own history: matches are put away, taken out again, and deleted for good."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.net.lobbies.lobby_book import Origin
from kontor_games.net.node.handing_in_matches import Errand
from kontor_games.net.record.match_files import MatchFiles

from .kit import WAIT, NodeProcess
from .test_analyses import SHORT


def begun(link: NodeLink, seed: str) -> str:
    seats = [{"kind": "me", "name": "Ann"}, {"kind": "me", "name": "Ben"}]
    return str(link.post("matches", {"game": "joban", "seats": seats, "seed": seed})["id"])


def finished(link: NodeLink, seed: str) -> str:
    """A match that stand-ins have played to its end."""
    match = begun(link, seed)
    state = link.post(f"matches/{match}/bye", {})
    while state["status"] != "over":
        state = link.get(f"matches/{match}")
    return match


def rows(link: NodeLink) -> dict[str, Any]:
    return {each["id"]: each for each in link.get("matches")["matches"]}


def test_a_match_is_put_away_for_good_and_taken_out_again(own_node: NodeProcess) -> None:
    link = own_node.link()
    match = finished(link, "away")
    assert rows(link)[match]["archived"] is False
    assert link.post(f"matches/{match}/archive", {"archived": True}) == {"archived": True}
    own_node.end()
    link = own_node.start().link()
    assert rows(link)[match]["archived"] is True, "after a restart, too"
    assert link.post(f"matches/{match}/archive", {"archived": False}) == {"archived": False}
    assert rows(link)[match]["archived"] is False


def test_only_what_is_over_is_put_away(node: NodeProcess) -> None:
    link = node.link()
    with pytest.raises(Refused, match="only a match that is over can be put away"):
        link.post(f"matches/{begun(link, 'open')}/archive", {"archived": True})
    with pytest.raises(Refused, match="such match"):
        link.post("matches/0123/archive", {"archived": True})


def test_a_deleted_match_leaves_no_file_and_is_in_no_list(own_node: NodeProcess) -> None:
    link = own_node.link()
    over, goes_on, kept = finished(link, "one"), begun(link, "two"), finished(link, "three")
    replay = rows(link)[over]["replay"]
    link.get(f"replays/{replay}")
    for match in (over, goes_on):
        link.post(f"matches/{kept}/archive", {"archived": True})
        assert link.delete(f"matches/{match}") == {"deleted": match}
    with pytest.raises(Refused, match="such match"):
        link.get(f"matches/{goes_on}")
    with pytest.raises(Refused, match="such replay"):
        link.get(f"replays/{replay}")
    assert list(rows(link)) == [kept] and rows(link)[kept]["archived"] is True
    stems = {path.name.partition(".")[0] for path in (own_node.home / "matches").iterdir()}
    assert len(stems) == 1, "nothing of the others is left on the disk"
    own_node.end()
    assert list(rows(own_node.start().link())) == [kept], "they do not come back"


def test_a_match_among_peers_is_deleted_once_it_is_complete(own_node: NodeProcess) -> None:
    own_node.end()
    files = MatchFiles(own_node.home / "matches", "ab" * 16)
    files.transcript.write_bytes(SHORT.read_bytes())
    files.journal.write_bytes(b"signed")
    about = {"id": "ab" * 16, "game": "hansa", "kind": "net", "status": "over", "seats": [], "updated": 1}
    files.transcript.with_suffix(".about").write_text(json.dumps(about))
    link = own_node.start().link()
    with pytest.raises(Refused, match="not complete yet"):
        link.delete(f"matches/{'ab' * 16}")
    files.done.touch()
    files.handing_in.touch()
    with pytest.raises(Refused, match="handed in"):
        link.delete(f"matches/{'ab' * 16}")
    files.handing_in.unlink()
    link.delete(f"matches/{'ab' * 16}")
    assert not files.transcript.exists() and not rows(link)
    assert files.journal.exists(), "what was signed may be asked for by others"


def test_a_complete_match_that_is_still_to_be_handed_in_calls_its_lobby_after_a_restart(own_node: NodeProcess) -> None:
    """Nothing else would: its node needs no network for a match that is done, and nobody has asked for one."""
    own_node.end()
    files = MatchFiles(own_node.home / "matches", "ab" * 16)
    files.transcript.write_bytes(SHORT.read_bytes())
    for path in (files.journal, files.done):
        path.touch()
    with socket.create_server(("127.0.0.1", 0)) as lobby:
        Origin(f"127.0.0.1:{lobby.getsockname()[1]}", b"k" * 32, "Anna", "T").write(files.lobby)
        Errand().write(files.handing_in)
        lobby.settimeout(WAIT)
        own_node.start()
        lobby.accept()[0].close()
