"""A key moves to another computer, by a file that is of no use without its passphrase."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kontor_games.engine.errors import IdentityError
from kontor_games.net.wire import identity_file
from kontor_games.net.wire.identity import FILE_NAME, create, fingerprint, load
from kontor_games.net.wire.identity_file import export_identity, import_identity, open_identity, why_not_passphrase

SECRET = "eleven grey herons"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a key, and a cost of guessing that tests can pay."""
    monkeypatch.setattr(identity_file, "OPS", 1)
    monkeypatch.setattr(identity_file, "MEMORY", 8192)
    create(tmp_path / "home")
    return tmp_path / "home"


def test_the_same_key_signs_at_the_other_computer(home: Path, tmp_path: Path) -> None:
    mark = export_identity(home, tmp_path / "key.json", SECRET)
    assert os.stat(tmp_path / "key.json").st_mode & 0o777 == 0o600
    private = load(home / FILE_NAME).private.private_bytes_raw()
    assert (
        private.hex() not in (tmp_path / "key.json").read_text() and private not in (tmp_path / "key.json").read_bytes()
    )
    assert import_identity(tmp_path / "other", tmp_path / "key.json", SECRET, False) == (mark, "")
    assert os.stat(tmp_path / "other" / FILE_NAME).st_mode & 0o777 == 0o600
    assert load(tmp_path / "other" / FILE_NAME).key == load(home / FILE_NAME).key


def test_a_wrong_passphrase_or_a_changed_file_opens_nothing(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    export_identity(home, path, SECRET)
    with pytest.raises(IdentityError, match="passphrase is wrong"):
        open_identity(path, SECRET + "!")
    told = json.loads(path.read_text())
    other = fingerprint(create(tmp_path / "else").key)
    for change, said in (
        ({"fingerprint": other}, "another key"),
        ({"ops": 2}, "passphrase is wrong"),
        ({"memory": 2**40}, "damaged"),
        ({"ops": 10**9}, "damaged"),
        ({"kdf": "md5"}, "damaged"),
        ({"more": 1}, "damaged"),
    ):
        path.write_text(json.dumps({**told, **change}))
        with pytest.raises(IdentityError, match=said):
            open_identity(path, SECRET)
    for text in ("", "[" * 3000, "{}", "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"), "x" * 9000):
        path.write_text(text)
        with pytest.raises(IdentityError):
            open_identity(path, SECRET)
    with pytest.raises(IdentityError, match="cannot be read"):
        open_identity(tmp_path / "nothing", SECRET)


def test_nothing_is_overwritten(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    export_identity(home, path, SECRET)
    with pytest.raises(IdentityError, match="exists already"):
        export_identity(home, path, SECRET)
    old = create(tmp_path / "other").key
    with pytest.raises(IdentityError, match="--replace"):
        import_identity(tmp_path / "other", path, SECRET, False)
    assert load(tmp_path / "other" / FILE_NAME).key == old
    mark, aside = import_identity(tmp_path / "other", path, SECRET, True)
    assert fingerprint(load(tmp_path / "other" / FILE_NAME).key) == mark and load(Path(aside)).key == old


@pytest.mark.parametrize("weak", ["", "short", "aaaaaaaaaaaaaaa", "x" * 2000])
def test_a_weak_passphrase_is_refused(home: Path, tmp_path: Path, weak: str) -> None:
    assert why_not_passphrase(weak)
    with pytest.raises(IdentityError):
        export_identity(home, tmp_path / "key.json", weak)
    assert not (tmp_path / "key.json").exists()


def test_guessing_is_dear_by_default() -> None:
    assert identity_file.OPS >= 3 and identity_file.MEMORY >= 256 * 1024 * 1024
