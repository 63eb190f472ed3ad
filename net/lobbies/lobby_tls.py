"""How a node recognises a lobby: by 32 bytes that stand for the key in the lobby's certificate."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import Certificate

from kontor_games.engine.core.stream import H


def lobby_key_of(certificate: Certificate) -> bytes:
    """The raw key of a lobby's own certificate; for an operator's certificate of another kind, a digest of its key."""
    key = certificate.public_key()
    if isinstance(key, Ed25519PublicKey):
        return key.public_bytes_raw()
    return H("lobby-key", key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo), size=32)
