"""A ladder's published folder on the pages: boards, people, and the very files that a check needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.lobby.pages.shown_ladder import LadderFolder, ShownLadder

from .ladder_folder import STRANGER, make_ladder
from .served import FILES, PagesProcess

TITLES = {"hansa": "Hansa Teutonica"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PagesProcess, str, str, Path]]:
    folder = tmp_path_factory.mktemp("ladder")
    anna, digest = make_ladder(folder / "published")
    pages = PagesProcess(folder / "data", (), f'ladder = "{folder / "published"}"')
    pages.wait_for_matches(1)
    yield pages, anna, digest, folder / "published"
    assert pages.stop() == 0


def test_boards_and_people_are_told_as_the_manifest_says_them(made: tuple[PagesProcess, str, str, Path]) -> None:
    pages, anna, digest, _ = made
    ladder = pages.get("/api/1/ladder").json
    assert [(board["season"], board["list"], board["people"]) for board in ladder["boards"]] == [
        (2, "open", 2),
        (1, "lan", 1),
    ]
    board = pages.get("/api/1/ladder/2/open/hansa/3").json
    assert [(each["rank"], each["name"], each["points"], each["provisional"]) for each in board["people"]] == [
        (1, "Anna", 1234, False),
        (2, "", 900, True),
    ]
    assert board["people"][0]["fingerprint"].startswith("yzqg-dn7g")  # of the key, not what the file calls it
    person = pages.get(f"/api/1/players/{anna}").json
    assert person["name"] == "Anna" and person["total"] == 2
    assert [(each["state"], each["place"], each["page"]) for each in person["matches"]] == [
        ("counted", 1, f"/match/{digest[:32]}"),
        ("refused", None, ""),  # not published: no link
    ]
    assert pages.get(f"/api/1/players/{STRANGER}").json["name"] == ""
    assert person["since"] == 1794984621 and person["named"] == []
    assert person["matches"][0]["others"] == ["Bruno", ""]  # one of them is on no board
    (named,) = ladder["named"]  # signed two things at two places, and is named once
    assert named["name"] == "Bruno" and named["files"] == [digest, "ee" * 32]
    assert pages.get(f"/api/1/players/{named['key']}").json["named"] == [named]


def test_a_check_finds_what_it_needs_under_one_address(made: tuple[PagesProcess, str, str, Path]) -> None:
    pages, _, digest, folder = made
    assert pages.get("/ladder/ladder.json").body == (folder / "ladder.json").read_bytes()
    assert pages.get(f"/ladder/files/{digest}.kontor").body == (FILES / "hansa-3.kontor").read_bytes()
    assert pages.get(f"/ladder/files/{'0' * 64}.kontor").status == 404


@pytest.mark.parametrize(
    "path",
    ["/api/1/ladder/3/open/hansa/3", "/api/1/ladder/2/open/hansa/../3", "/api/1/players/" + "0" * 64, "/player/x"],
)
def test_there_is_no_other_board_or_player(made: tuple[PagesProcess, str, str, Path], path: str) -> None:
    assert made[0].get(path).status == 404


def test_without_a_ladder_there_are_no_pages_of_one(tmp_path: Path) -> None:
    empty = LadderFolder(tmp_path, TITLES)
    empty.look()
    assert empty.shown is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"ladder": {"title": 1}}', b"[" * 100_000, b"\xff"])
def test_what_is_not_a_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"ladder\.json"):
        ShownLadder(data, TITLES)


def test_a_new_manifest_is_read_and_a_broken_one_leaves_the_last(tmp_path: Path) -> None:
    make_ladder(tmp_path)
    folder = LadderFolder(tmp_path, TITLES)
    folder.look()
    before = folder.shown
    assert before is not None and before.told()["title"] == "Contor"
    make_ladder(tmp_path, title="Another Contor")
    folder.look()
    assert folder.shown is not None and folder.shown.told()["title"] == "Another Contor"
    (tmp_path / "ladder.json").write_text("{}")
    with pytest.raises(ValueError, match=r"ladder\.json"):
        folder.look()
    assert folder.shown is not None
