"""A certificate for the guest door, made on first use and kept in the home.

Not the node's own: that one carries an Ed25519 key, which no browser accepts in TLS. This one is signed by itself, so
every phone asks its person once; the fingerprint that `kontor party` prints is what they could compare.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from twisted.internet import ssl

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.private_file import read_private, write_private

CERTIFICATE_FILE: Final = "party.pem"


def door_certificate(home: Path) -> tuple[Any, str]:
    """A context for TLS, and the fingerprint of its certificate."""
    path = home / CERTIFICATE_FILE
    try:
        raw = read_private(path)
    except FileNotFoundError:
        raw = _make()
        write_private(path, raw)
    try:
        key = cast(ec.EllipticCurvePrivateKey, serialization.load_pem_private_key(raw, None))
        certificate = x509.load_pem_x509_certificate(raw)
    except ValueError:
        raise StoreError(f"{path} is damaged; remove it, and a new one will be made") from None
    # Any: pyOpenSSL wants the objects of `cryptography` themselves, Twisted's annotations lag behind.
    options = cast(Any, ssl.CertificateOptions)(
        privateKey=key,
        certificate=certificate,
        raiseMinimumTo=ssl.TLSVersion.TLSv1_2,
        acceptableProtocols=[b"http/1.1"],  # browsers name what they speak; Twisted fails those it has no answer for
    )
    return options, certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _make() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kontor party")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2049, 1, 1, tzinfo=UTC))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + certificate.public_bytes(serialization.Encoding.PEM)
