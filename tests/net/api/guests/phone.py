"""A phone's end of the sealed channel, written from the essay alone: its own HKDF, its own boxes."""

from __future__ import annotations

import hashlib
import hmac
import os

from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base, crypto_secretbox, crypto_secretbox_open

from kontor_games.net.wire.fingerprint_words import words_of

LINK, DEVICE, CODE = 1, 2, 3


def hkdf(key: bytes, salt: bytes, info: bytes, size: int) -> bytes:
    """RFC 5869 with SHA-512."""
    secret = hmac.new(salt, key, hashlib.sha512).digest()
    found, block = b"", b""
    for number in range(1, 8):
        block = hmac.new(secret, block + info + bytes([number]), hashlib.sha512).digest()
        found += block
    return found[:size]


class Phone:
    """One connection of a phone that knows a secret, or none."""

    def __init__(self, kind: int, secret: bytes = b"") -> None:
        self.secret = secret
        self.private = os.urandom(32)
        self.key = crypto_scalarmult_base(self.private)
        id = hashlib.sha512(b"kontor guest id" + secret).digest()[:8] if secret else bytes(8)
        self.hello = b"KG1" + bytes([kind]) + id + hashlib.sha512(b"kontor guest key" + self.key).digest()[:32]
        self.sent = self.opened = 0
        self.out = self.into = self.device = b""
        self.words: tuple[str, ...] = ()

    def meet(self, door: bytes) -> bytes:
        """The node's key has come; our answer."""
        shared = crypto_scalarmult(self.private, door)
        salt = hashlib.sha512(self.hello + door + self.key).digest()
        found = hkdf(shared + self.secret, salt, b"kontor guest channel 1", 104)
        self.out, self.into, self.device = found[:32], found[32:64], found[64:96]
        self.words = words_of(found[96:], 3)
        return self.key

    def seal(self, content: bytes) -> bytes:
        padded = len(content).to_bytes(4, "big") + content
        padded += bytes(-len(padded) % 256)
        self.sent += 1
        return crypto_secretbox(padded, (self.sent - 1).to_bytes(8, "big") + bytes(16), self.out)

    def open(self, box: bytes) -> bytes:
        padded = crypto_secretbox_open(box, self.opened.to_bytes(8, "big") + bytes(16), self.into)
        self.opened += 1
        return padded[4 : 4 + int.from_bytes(padded[:4], "big")]
