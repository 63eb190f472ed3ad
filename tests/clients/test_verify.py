"""`kontor verify` on files of network matches: who signed, with which keys, and what files say of each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kontor_games.net.record.transcript import Record
from kontor_games.net.wire.identity import fingerprint
from tests.net.record.test_compare import gone_back
from tests.net.record.test_verdicts import NAMES, short_match
from tests.worlds.match_files import last_frame, packed, played, transcript
from tests.worlds.quick_algebra import quick_algebra
from tests.worlds.world import identity

from .command import kontor

__all__ = ["quick_algebra"]  # the files are made in this process


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of three by two of its peers, cut short, without its last signatures, and as two made it up later."""
    folder = tmp_path_factory.mktemp("files")
    true = played(short_match(3), "lost")
    items = true.nodes[0].session.ledger.items
    frames = [k for k, item in enumerate(items) if item.kind == "frame"]
    whole = transcript(true)
    made: dict[str, list[Record]] = {
        "whole": whole,
        "copy": transcript(true, 1),
        "cut": whole[: last_frame(whole)],
        "unsigned": whole[:-1],
        "false": transcript(gone_back(true, gone=0, count=frames[4], seed="again"), 1),
    }
    for name, records in made.items():
        (folder / f"{name}.kontor").write_bytes(packed(records))
    return folder


def test_every_player_is_printed_with_a_fingerprint(files: Path) -> None:
    run = kontor(files, "verify", "whole.kontor")
    assert run.returncode == 0
    assert run.stdout.startswith("whole.kontor: verified: finished, signed by all 3\n")
    for peer, name in enumerate(NAMES[:3]):
        assert f"  {fingerprint(identity(peer).key)[:19]}  {name}\n" in run.stdout
    assert "cut.kontor: verified up to ply " in kontor(files, "verify", "cut.kontor").stdout
    peers = json.loads(kontor(files, "verify", "--json", "whole.kontor").stdout)["peers"]
    assert [peer["key"] for peer in peers] == [identity(peer).key.hex() for peer in range(3)]


def test_copies_are_named_and_contradictions_fail(files: Path) -> None:
    run = kontor(files, "verify", "whole.kontor", "copy.kontor", "cut.kontor")
    assert run.returncode == 0 and run.stdout.count("the same match as in whole.kontor") == 2
    run = kontor(files, "verify", "whole.kontor", "copy.kontor", "false.kontor", "--quiet")
    assert run.returncode == 1
    assert "contradicts whole.kontor: Bruno signed two different final signatures" in run.stdout
    run = kontor(files, "verify", "unsigned.kontor", "false.kontor", "--json")
    assert run.returncode == 1
    (other,) = json.loads(run.stdout.splitlines()[1])["contradicts"]
    assert other["path"] == "unsigned.kontor" and other["twice"] == [] and "nobody is proven" in other["text"]


def test_required_final_only_a_finished_match_that_all_signed_passes(files: Path) -> None:
    assert kontor(files, "verify", "--require", "final", "whole.kontor", "copy.kontor").returncode == 0
    for name in ("cut.kontor", "unsigned.kontor"):
        run = kontor(files, "verify", "--require", "final", name)
        assert run.returncode == 1 and f"{name}: refuted: not final (verified" in run.stdout


def test_a_list_of_players_refutes_a_name_with_another_key(files: Path, tmp_path: Path) -> None:
    keys = [identity(peer).key for peer in range(4)]
    cases = {
        "good": ((fingerprint(keys[0]), keys[1].hex(), fingerprint(keys[2]).upper().replace("-", " ")), 0, ""),
        "other": ((keys[3].hex(), keys[1].hex(), keys[2].hex()), 1, "Anna has another key in the list"),
        "swapped": ((keys[1].hex(), keys[0].hex(), keys[2].hex()), 1, "Anna has another key in the list"),
        "short": ((fingerprint(keys[0]), keys[1].hex()), 1, "is not in the list of players"),
        "broken": (("xyz", keys[1].hex(), keys[2].hex()), 2, "is not a key"),
    }
    for name, (marks, code, text) in cases.items():
        lines = [f'{player} = "{mark}"' for player, mark in zip(NAMES, marks, strict=False)]
        (tmp_path / f"{name}.toml").write_text("\n".join(["[players]", *lines]) + "\n")
        run = kontor(files, "verify", "--players", str(tmp_path / f"{name}.toml"), "whole.kontor")
        assert run.returncode == code and text in run.stdout + run.stderr, (name, run)
    kontor(
        tmp_path,
        "play",
        "joban",
        "--seats",
        "bot:random,bot:random",
        "--seed",
        "1",
        "--save",
        "local.kontor",
        "--quiet",
    )
    run = kontor(tmp_path, "verify", "--players", "good.toml", "local.kontor")
    assert run.returncode == 1 and "nobody has signed this match" in run.stdout
