"""The sealed channel between a guest's phone and this node: a machine without I/O.

A phone on the Wi-Fi loads the web client over plain HTTP, where a browser has no WebCrypto and where everybody nearby
can listen. So everything after the page itself travels in boxes that only the two ends can make and open.

The messages, in order; each is one binary WebSocket message of exactly this length:

    phone to node   "KG1", kind (1 byte), id (8 bytes), commitment to the phone's key (32 bytes)
    node to phone   the node's key (32 bytes), made for this connection alone
    phone to node   the phone's key (32 bytes), made for this connection alone
    both ways       boxes

`kind` says what the phone shows besides the exchange: the secret of an invitation (a link, as a QR code), the secret of
the device, which the first exchange gave to both ends, or nothing, because a person will type a code. `id` names that
secret and is a hash of it; it is zero for a code. Both ends derive four things by HKDF-SHA512 from the X25519 exchange
and the secret, with everything said so far as the salt: a key for each direction, the device's secret for the next
time, and the words that people compare if a code was typed.

A box is XSalsa20-Poly1305. Its nonce is the number of boxes sent before in this direction and is never sent: a box that
was replayed, doubled, swapped, cut or flipped, or that comes from another connection or the other direction, does not
open. Inside is the length of the content, the content, and zeros up to a multiple of 256 bytes. The first box that does
not open ends the connection; nothing is ever skipped.

Who would break it, and how:

* *A listener* has two keys and boxes. The keys are gone when the connection ends, so a phone that is stolen later opens
  nothing that was recorded. Lengths are seen in steps of 256 bytes, and times; nothing hides that somebody has moved.
* *Somebody with an old link or device.* The secret is looked up at the first message and again when the first box
  opens (`guest_book`): an invitation counts as used only then, so that broken or replayed handshakes burn nothing, and
  two phones with one link cannot both come in.
* *Somebody who replays a phone's messages* meets a new key of the node: nothing opens.
* *A point of small order* as a key would make the exchange a constant that everybody knows. An exchange that comes
  to zero is refused; with a link or a device the secret would still be missing.
* *Somebody between the two ends* who knows no secret cannot make the first box. Where only a code is typed, nothing but
  people can notice: both screens show three words, and they differ. The phone commits to its key before it sees the
  node's, so whoever sits between cannot search for keys that give equal words; there is one guess in 2**30.
* *Somebody who alters the page itself* on its way reads everything; the channel is then theirs at one end. That is said
  in docs/threats.md, and `--tls` is for those who want to accept the browser's question.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from hashlib import sha512
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base, crypto_secretbox, crypto_secretbox_open
from nacl.exceptions import CryptoError

from kontor_games.engine.errors import RemoteError
from kontor_games.net.wire.fingerprint_words import words_of

MAGIC: Final = b"KG1"
ID_SIZE: Final = 8
KEY_SIZE: Final = 32
LINK_SECRET: Final = 16  # bytes in the fragment of a link
PAD: Final = 256
OVERHEAD: Final = 16  # of a box
WORDS: Final = 3
_INFO: Final = b"kontor guest channel 1"
_NO_ID: Final = bytes(ID_SIZE)


class Credential(Enum):
    """What a phone shows besides the exchange."""

    LINK = 1
    DEVICE = 2
    CODE = 3


class ChannelError(RemoteError):
    """The other end broke the rules of the channel, or is not who it says."""


class UnknownCredential(ChannelError):
    """Nobody here knows this link or this device; perhaps no longer."""


@dataclass(frozen=True)
class GuestHello:
    """Who wants to come in."""

    credential: Credential
    id: bytes
    commitment: bytes


@dataclass(frozen=True)
class ChannelKeys:
    """What both ends have derived."""

    from_phone: bytes
    to_phone: bytes
    device: bytes
    words: tuple[str, ...]


def id_of(secret: bytes) -> bytes:
    """The name of a secret, which tells nothing about it."""
    return sha512(b"kontor guest id" + secret).digest()[:ID_SIZE]


def commitment_to(key: bytes) -> bytes:
    """What a phone says of its key before it shows it."""
    return sha512(b"kontor guest key" + key).digest()[:KEY_SIZE]


def read_hello(data: bytes) -> GuestHello:
    """The phone's first message."""
    start = len(MAGIC) + 1
    if len(data) != start + ID_SIZE + KEY_SIZE or not data.startswith(MAGIC):
        raise ChannelError("a connection of guests begins otherwise")
    try:
        credential = Credential(data[len(MAGIC)])
    except ValueError:
        raise ChannelError("there is no such credential") from None
    found = GuestHello(credential, data[start : start + ID_SIZE], data[start + ID_SIZE :])
    if (credential is Credential.CODE) != (found.id == _NO_ID):
        raise ChannelError("a code has no id, and everything else has one")
    return found


def agree(hello: bytes, secret: bytes, private: bytes, door: bytes, phone: bytes) -> ChannelKeys:
    """What follows from an exchange, at the end that has `private`."""
    other = phone if crypto_scalarmult_base(private) == door else door
    try:
        shared = crypto_scalarmult(private, other)
    except (CryptoError, RuntimeError):
        raise ChannelError("this is not a key") from None
    if not any(shared):  # libsodium has refused it already; this must not depend on how it was built
        raise ChannelError("this is not a key")
    salt = sha512(hello + door + phone).digest()
    found = HKDF(SHA512(), 3 * KEY_SIZE + 8, salt, _INFO).derive(shared + secret)
    keys = [found[start : start + KEY_SIZE] for start in range(0, 3 * KEY_SIZE, KEY_SIZE)]
    return ChannelKeys(keys[0], keys[1], keys[2], words_of(found[3 * KEY_SIZE :], WORDS))


class Boxes:
    """One direction: a key and a count."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._count = 0

    def seal(self, content: bytes) -> bytes:
        """The next box."""
        padded = len(content).to_bytes(4, "big") + content
        padded += bytes(-len(padded) % PAD)
        return crypto_secretbox(padded, self._nonce(), self._key)

    def open(self, box: bytes) -> bytes:
        """The content of the next box; any other box is refused."""
        if len(box) < OVERHEAD + PAD or (len(box) - OVERHEAD) % PAD:
            raise ChannelError("a box of a wrong length")
        try:
            padded = crypto_secretbox_open(box, self._nonce(), self._key)
        except CryptoError:
            raise ChannelError("a box that does not open") from None
        size = int.from_bytes(padded[:4], "big")
        if size > len(padded) - 4 or len(padded) - 4 - size >= PAD or any(padded[4 + size :]):
            raise ChannelError("a box with wrong padding")
        return padded[4 : 4 + size]

    def _nonce(self) -> bytes:
        nonce = self._count.to_bytes(8, "big") + bytes(16)
        self._count += 1
        return nonce


class DoorEnd:
    """The node's end of one connection."""

    def __init__(
        self, secret_of: Callable[[Credential, bytes], bytes | None], random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._secret_of = secret_of
        self._private = random(KEY_SIZE)
        self._key = crypto_scalarmult_base(self._private)
        self._raw = b""
        self._secret = b""
        self._in: Boxes | None = None
        self._out: Boxes | None = None
        self.hello: GuestHello | None = None
        self.agreed: ChannelKeys | None = None

    @property
    def is_agreed(self) -> bool:
        """Whether boxes come next."""
        return self.agreed is not None

    def greet(self, data: bytes) -> bytes:
        """The phone's next message before the boxes; our answer, empty after the last one."""
        if self.hello is None:
            hello = read_hello(data)
            secret = b"" if hello.credential is Credential.CODE else self._secret_of(hello.credential, hello.id)
            if secret is None:
                raise UnknownCredential("this link or phone is not known here, or no longer")
            self.hello, self._raw, self._secret = hello, data, secret
            return self._key
        if len(data) != KEY_SIZE or not hmac.compare_digest(commitment_to(data), self.hello.commitment):
            raise ChannelError("this is not the key that was promised")
        self.agreed = agree(self._raw, self._secret, self._private, self._key, data)
        self._in, self._out = Boxes(self.agreed.from_phone), Boxes(self.agreed.to_phone)
        self._private = self._secret = b""
        return b""

    def open(self, box: bytes) -> bytes:
        """What the phone says in its next box."""
        assert self._in is not None, "boxes come after the exchange"
        return self._in.open(box)

    def seal(self, content: bytes) -> bytes:
        """Our next box."""
        assert self._out is not None, "boxes come after the exchange"
        return self._out.seal(content)
