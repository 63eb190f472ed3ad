"""A key on its way to another computer: a file that is of use only together with its passphrase.

The passphrase becomes a key by Argon2id (RFC 9106, as libsodium has it, with its "moderate" cost: a quarter of a
gigabyte and some tenths of a second for every guess), which opens a box of XSalsa20 and Poly1305. Cost and salt are in
the file, within bounds, so that a doctored one cannot make the import take all memory. The fingerprint is there in the
open, for people to compare; what comes out of the box must fit it.

Whoever finds the file can guess passphrases at that price. So short ones are refused, and the file is written for its
owner alone, never over another.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Meta, Struct
from nacl import pwhash, secret, utils
from nacl.exceptions import CryptoError

from kontor_games.engine.errors import IdentityError

from .identity import FILE_NAME, Identity, fingerprint, load, store_new

LEAST_LETTERS: Final = 10
MAX_PASSPHRASE: Final = 1024
MAX_BYTES: Final = 4096
OPS: Final = pwhash.argon2id.OPSLIMIT_MODERATE
MEMORY: Final = pwhash.argon2id.MEMLIMIT_MODERATE
_SALT: Final = pwhash.argon2id.SALTBYTES


class IdentityFile(Struct, frozen=True, forbid_unknown_fields=True):
    """What is written, as JSON."""

    format: Literal["kontor identity 1"]
    fingerprint: Annotated[str, Meta(max_length=60)]
    kdf: Literal["argon2id"]
    ops: Annotated[int, Meta(ge=1, le=10)]
    memory: Annotated[int, Meta(ge=8192, le=1024**3)]
    salt: Annotated[bytes, Meta(min_length=_SALT, max_length=_SALT)]
    box: Annotated[bytes, Meta(min_length=40, max_length=200)]


def why_not_passphrase(text: str) -> str | None:
    """Why a passphrase protects nothing, or None."""
    if len(text) < LEAST_LETTERS:
        return f"a passphrase has at least {LEAST_LETTERS} characters; several words are easy to remember"
    if len(text) > MAX_PASSPHRASE:
        return "the passphrase is too long"
    return "use more than one letter" if len(set(text)) < 4 else None


def export_identity(home: Path, target: Path, passphrase: str) -> str:
    """Write the key of a home to a new file; its fingerprint."""
    if reason := why_not_passphrase(passphrase):
        raise IdentityError(reason)
    identity = load(home / FILE_NAME)
    salt = utils.random(_SALT)
    box = secret.SecretBox(_stretched(passphrase, salt, OPS, MEMORY))
    mark = fingerprint(identity.key)
    sealed = bytes(box.encrypt(identity.private.private_bytes_raw()))
    data = msgspec.json.encode(IdentityFile("kontor identity 1", mark, "argon2id", OPS, MEMORY, salt, sealed))
    try:
        store_new(target, msgspec.json.format(data, indent=1) + b"\n")
    except FileExistsError:
        raise IdentityError(f"{target} exists already; choose another name") from None
    except OSError as error:
        raise IdentityError(f"{target} cannot be written: {error.strerror}") from error
    return mark


def open_identity(source: Path, passphrase: str) -> Identity:
    """The key in an exported file."""
    try:
        with source.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise IdentityError(f"{source} cannot be read: {error.strerror}") from error
    try:
        found = msgspec.json.decode(raw[:MAX_BYTES], type=IdentityFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise IdentityError(f"{source} is damaged, or was not written by kontor id export") from error
    try:
        seed = secret.SecretBox(_stretched(passphrase, found.salt, found.ops, found.memory)).decrypt(found.box)
        identity = Identity.of(Ed25519PrivateKey.from_private_bytes(seed))
    except (CryptoError, ValueError) as error:
        raise IdentityError(f"{source}: the passphrase is wrong, or the file is damaged") from error
    if fingerprint(identity.key) != found.fingerprint:
        raise IdentityError(f"{source} holds another key than its fingerprint says; do not use it")
    return identity


def import_identity(home: Path, source: Path, passphrase: str, replace: bool) -> tuple[str, str]:
    """Make an exported key the key of a home; its fingerprint, and where the old key is now, if there was one.

    The caller sees to it that no node runs there.
    """
    identity = open_identity(source, passphrase)
    path, aside = home / FILE_NAME, ""
    if os.path.lexists(path):
        if not replace:
            raise IdentityError(f"{home} has a key already; --replace moves it aside (its matches need it)")
        old = path.with_name(f"{FILE_NAME}.before-import-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
        os.replace(path, old)
        aside = str(old)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    store_new(path, identity.pem())
    return fingerprint(identity.key), aside


def _stretched(passphrase: str, salt: bytes, ops: int, memory: int) -> bytes:
    return pwhash.argon2id.kdf(secret.SecretBox.KEY_SIZE, passphrase.encode(), salt, opslimit=ops, memlimit=memory)
