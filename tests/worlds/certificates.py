"""Certificates for tests of TLS with other people's servers: an authority, and what it signed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class CertificatePair:
    """A certificate and its key, as files and as values."""

    certificate: Path
    key: Path
    private: ec.EllipticCurvePrivateKey
    name: x509.Name


def authority(folder: Path, name: str) -> CertificatePair:
    """Somebody who signs certificates."""
    return _made(folder, name, None)


def certificate_for(folder: Path, host: str, signer: CertificatePair) -> CertificatePair:
    """A server's certificate."""
    return _made(folder, host, signer)


def _made(folder: Path, name: str, signer: CertificatePair | None) -> CertificatePair:
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer.name if signer else subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
    )
    if signer is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    signed = builder.sign(signer.private if signer else private, hashes.SHA256())
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    certificate.write_bytes(signed.public_bytes(Encoding.PEM))
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return CertificatePair(certificate, key, private, subject)
