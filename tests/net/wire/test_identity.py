"""Keys: files that are private and whole, fingerprints, signatures for one purpose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.engine.errors import IdentityError
from kontor_games.net.wire.fingerprint_words import WORDS, words_of
from kontor_games.net.wire.identity import (
    KINDS,
    Identity,
    create,
    fingerprint,
    fingerprint_words,
    load,
    load_or_create,
    parse_fingerprint,
    six_words,
    verify,
)
from tests.worlds.doubles import identity


def test_a_new_key_is_stored_privately_and_found_again(tmp_path: Path) -> None:
    first = load_or_create(tmp_path / "deep" / "kontor")
    path = tmp_path / "deep" / "kontor" / "identity.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_or_create(tmp_path / "deep" / "kontor").key == first.key
    assert [entry.name for entry in path.parent.iterdir()] == ["identity.pem"]


def test_an_existing_key_is_never_overwritten(tmp_path: Path) -> None:
    first = create(tmp_path)
    with pytest.raises(FileExistsError):
        create(tmp_path)
    assert load(tmp_path / "identity.pem").key == first.key
    assert len(list(tmp_path.iterdir())) == 1


def test_a_passphrase_protects_the_key(tmp_path: Path) -> None:
    mine = create(tmp_path, "correct horse")
    path = tmp_path / "identity.pem"
    assert b"ENCRYPTED" in path.read_bytes()
    assert load(path, "correct horse").key == mine.key
    with pytest.raises(IdentityError, match="protected by a passphrase"):
        load(path)
    with pytest.raises(IdentityError, match="passphrase is wrong or the file is damaged"):
        load(path, "wrong")


def test_a_passphrase_for_an_open_key_is_refused(tmp_path: Path) -> None:
    create(tmp_path)
    with pytest.raises(IdentityError, match="has no passphrase"):
        load(tmp_path / "identity.pem", "any")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    create(tmp_path)
    (tmp_path / "identity.pem").chmod(mode)
    with pytest.raises(IdentityError, match=f"mode {mode:03o}.*chmod 600"):
        load_or_create(tmp_path)


def test_damaged_foreign_and_missing_files_are_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "identity.pem"
    with pytest.raises(IdentityError, match="does not exist"):
        load(path)
    create(tmp_path)
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], os.urandom(200), whole[:60] + b"!" + whole[61:]):
        path.write_bytes(damaged)
        with pytest.raises(IdentityError, match="damaged or no key file"):
            load_or_create(tmp_path)
        assert path.read_bytes() == damaged
    path.write_bytes(b"x" * 5000)
    with pytest.raises(IdentityError, match="too long"):
        load(path)
    other = generate_private_key(SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(IdentityError, match="another kind"):
        load(path)


def test_links_and_folders_in_the_place_of_a_key_are_refused(tmp_path: Path) -> None:
    create(tmp_path / "real")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "identity.pem").symlink_to(tmp_path / "real" / "identity.pem")
    with pytest.raises(IdentityError, match="cannot be opened"):
        load_or_create(tmp_path / "link")
    (tmp_path / "folder" / "identity.pem").mkdir(parents=True)
    with pytest.raises(IdentityError, match="not an ordinary file"):
        load_or_create(tmp_path / "folder")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    create(tmp_path)
    os.chown(tmp_path / "identity.pem", 12345, -1)
    with pytest.raises(IdentityError, match="belongs to another user"):
        load_or_create(tmp_path)


def test_a_signature_fits_one_key_one_purpose_and_one_text() -> None:
    ann, ben = identity(1), identity(2)
    for kind in sorted(KINDS):
        signature = ann.sign(kind, b"raw")  # type: ignore[arg-type]
        assert verify(ann.key, kind, b"raw", signature)  # type: ignore[arg-type]
        assert not verify(ben.key, kind, b"raw", signature)  # type: ignore[arg-type]
        assert not verify(ann.key, kind, b"raw!", signature)  # type: ignore[arg-type]
        for other in sorted(KINDS - {kind}):
            assert not verify(ann.key, other, b"raw", signature)  # type: ignore[arg-type]


def test_the_signed_bytes_are_those_of_the_design() -> None:
    ann = identity(1)
    ann.private.public_key().verify(ann.sign("dealer", b"raw"), b"kontor/dealer/1\0raw")


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_verify_survives_any_key_and_signature(key: bytes, signature: bytes) -> None:
    assert not verify(key, "frame", b"raw", signature)


def test_a_private_key_never_shows_itself() -> None:
    ann = Identity.generate()
    assert ann.private.private_bytes_raw().hex() not in repr(ann)
    assert "PrivateKey" not in repr(ann)


def test_fingerprints_can_be_read_aloud_and_typed_back() -> None:
    key = identity(1).key
    letters = fingerprint(key)
    assert [len(group) for group in letters.split("-")] == [4] * 8
    assert parse_fingerprint(f"  {letters.upper().replace('-', ' ')} ") == letters
    assert parse_fingerprint(letters.replace("-", "")) == letters
    assert fingerprint_words(key).split() == list(words_of(bytes.fromhex(_hex(letters)), 6))
    for bad in ("", letters[:-1], letters[:-1] + "1", "not a fingerprint"):
        with pytest.raises(IdentityError, match="is not a fingerprint"):
            parse_fingerprint(bad)


def _hex(letters: str) -> str:
    import base64

    return base64.b32decode(letters.replace("-", "").upper()).hex()


def test_six_words_are_the_first_sixty_bits() -> None:
    assert six_words(bytes(32)).split() == [WORDS[0]] * 6
    assert six_words(b"\xff" * 32).split() == [WORDS[1023]] * 6
    assert six_words(b"\0\x40" + bytes(30)).split() == [WORDS[1]] + [WORDS[0]] * 5
    with pytest.raises(ValueError, match="too few"):
        words_of(b"1234567", 6)


def test_the_words_are_distinct_short_and_hard_to_mix_up() -> None:
    assert len(WORDS) == len(set(WORDS)) == 1024
    assert list(WORDS) == sorted(WORDS)
    assert all(word.isascii() and word.isalpha() and word.islower() and 3 <= len(word) <= 7 for word in WORDS)
    assert len({word[:4] for word in WORDS}) == 1024
    by_gap: dict[tuple[int, str], str] = {}
    for word in WORDS:  # two words at distance one share a form with the same letter left out, or one is the other's
        for gap in range(len(word)):
            form = (gap, word[:gap] + word[gap + 1 :])
            assert form not in by_gap, (word, by_gap[form])
            by_gap[form] = word
            assert word[:gap] + word[gap + 1 :] not in WORDS
