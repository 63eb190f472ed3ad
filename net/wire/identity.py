"""A node's Ed25519 key: its file, its fingerprint, and signatures that fit one purpose only."""

from __future__ import annotations

import base64
import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol, get_args

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from nacl.bindings import crypto_sign, crypto_sign_open
from nacl.exceptions import CryptoError

from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import IdentityError, StoreError
from kontor_games.net.system.private_file import read_private

from .fingerprint_words import words_of

Kind = Literal["terms", "frame", "dealer", "ack", "final", "chat", "lobby", "ladder", "event"]
KINDS: Final[frozenset[str]] = frozenset(get_args(Kind))
KEY_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64
FILE_NAME: Final = "identity.pem"
MAX_FILE: Final = 4096
_PREFIX: Final[dict[str, bytes]] = {kind: f"kontor/{kind}/1".encode() + b"\0" for kind in sorted(KINDS)}


class Signer(Protocol):
    """Whatever can sign for one key; machines ask for this, never for a file."""

    @property
    def key(self) -> bytes:
        """The raw public key, 32 bytes."""

    def sign(self, kind: Kind, raw: bytes) -> bytes:
        """The signature over `raw` for this purpose."""


@dataclass(frozen=True, slots=True)
class Identity:
    """One key pair; the public half is the peer's name on every wire."""

    private: Ed25519PrivateKey
    key: bytes
    _secret: bytes = field(init=False, repr=False, compare=False)  # seed and public key, as libsodium takes them

    def __post_init__(self) -> None:
        object.__setattr__(self, "_secret", self.private.private_bytes_raw() + self.key)

    @classmethod
    def of(cls, private: Ed25519PrivateKey) -> Identity:
        """The identity that this private key makes."""
        return cls(private, private.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> Identity:
        """A new identity from the system's entropy, not stored anywhere."""
        return cls.of(Ed25519PrivateKey.generate())

    def sign(self, kind: Kind, raw: bytes) -> bytes:
        """Sign `raw` for one purpose; the same bytes signed for another purpose do not verify."""
        return crypto_sign(_PREFIX[kind] + raw, self._secret)[:SIGNATURE_SIZE]

    def pem(self, encryption: KeySerializationEncryption | None = None) -> bytes:
        """The private key as its file holds it."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())

    def __repr__(self) -> str:
        # The default would show the private key object; a log must never come near it.
        return f"Identity({fingerprint(self.key)})"


def verify(key: bytes, kind: Kind, raw: bytes, signature: bytes) -> bool:
    """Whether `signature` is the one that `key` made over `raw` for this purpose; see ADR 13."""
    if len(key) != KEY_SIZE or len(signature) != SIGNATURE_SIZE:
        return False
    try:
        crypto_sign_open(signature + _PREFIX[kind] + raw, key)
    except CryptoError:
        return False
    return True


def fingerprint(key: bytes) -> str:
    """The key's fingerprint as eight groups of four letters; enough (160 bits) to pin the key by it."""
    letters = base64.b32encode(H("id", key, size=20)).decode().lower()
    return "-".join(letters[i : i + 4] for i in range(0, len(letters), 4))


def fingerprint_words(key: bytes) -> str:
    """The first 60 bits of the same fingerprint as six words, to be read aloud."""
    return " ".join(words_of(H("id", key, size=20), 6))


def parse_fingerprint(text: str) -> str:
    """The fingerprint a person typed, in the form `fingerprint` gives; spaces, dashes and case do not matter."""
    letters = "".join(text.replace("-", " ").split()).lower()
    if len(letters) != 32 or not set(letters) <= set("abcdefghijklmnopqrstuvwxyz234567"):
        raise IdentityError(f"{text[:80]!r} is not a fingerprint; it has eight groups of four letters or digits 2 to 7")
    return "-".join(letters[i : i + 4] for i in range(0, 32, 4))


def six_words(match_id: bytes) -> str:
    """Six words of a match id, shown to all players before the start so that they can compare."""
    return " ".join(words_of(match_id, 6))


def default_directory() -> Path:
    """Where this user's node keeps its data."""
    from platformdirs import user_data_path

    return user_data_path("kontor", appauthor=False)


def load_or_create(directory: Path, passphrase: str | None = None) -> Identity:
    """The identity stored in `directory`, made there first if there is none."""
    path = directory / FILE_NAME
    if not os.path.lexists(path):
        with contextlib.suppress(FileExistsError):  # another node of this user was faster: its key counts
            return create(directory, passphrase)
    return load(path, passphrase)


def create(directory: Path, passphrase: str | None = None) -> Identity:
    """Make a new identity in `directory`; FileExistsError if there is one, which is never overwritten."""
    identity = Identity.generate()
    pem = identity.pem(BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption())
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        store_new(directory / FILE_NAME, pem)
    except FileExistsError:
        raise
    except OSError as error:
        raise IdentityError(f"cannot store a key in {directory}: {error.strerror}") from error
    return identity


def store_new(path: Path, data: bytes) -> None:
    """Create `path` with `data`, wholly or not at all, readable by its owner only."""
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # unlike a rename it fails if the name is taken
    finally:
        os.unlink(draft)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def load(path: Path, passphrase: str | None = None) -> Identity:
    """The identity in `path`; IdentityError says what is wrong with the file and what to do."""
    pem = _read_private(path)
    try:
        private = load_pem_private_key(pem, passphrase.encode() if passphrase else None)
    except TypeError as error:
        if passphrase:
            raise IdentityError(f"{path} has no passphrase; open it without one") from error
        raise IdentityError(f"{path} is protected by a passphrase; give it") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        cause = "the passphrase is wrong or the file is damaged" if passphrase else "it is damaged or no key file"
        raise IdentityError(f"{path} cannot be read: {cause}; restore it from a copy or move it away") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise IdentityError(f"{path} holds a key of another kind, not Ed25519; move it away")
    return Identity.of(private)


def _read_private(path: Path) -> bytes:
    """The bytes of a file that only its owner, who must be us, can read."""
    try:
        return read_private(path, MAX_FILE)
    except FileNotFoundError as error:
        raise IdentityError(f"{path} does not exist") from error
    except StoreError as error:
        raise IdentityError(str(error)) from error
