"""TLS 1.3 for links: a self-signed certificate whose Ed25519 key is the peer, and contexts that accept by key alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto
from twisted.internet import ssl
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator, IOpenSSLServerConnectionCreator
from zope.interface import implementer

from kontor_games.net.wire.identity import Identity

WhyNot = Callable[[bytes], str | None]  # a peer's key -> why it may not talk to us


def make_certificate(identity: Identity) -> x509.Certificate:
    """The certificate that carries an identity's key; its dates never matter, nobody looks at them."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kontor")])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(identity.private.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2999, 1, 1, tzinfo=UTC))
        .sign(identity.private, None)
    )


def key_of(certificate: crypto.X509 | None) -> bytes | None:
    """The Ed25519 key in a certificate, or None if it has another kind or there is none."""
    if certificate is None:
        return None
    key = certificate.to_cryptography().public_key()
    return key.public_bytes_raw() if isinstance(key, Ed25519PublicKey) else None


def _make_context(identity: Identity) -> SSL.Context:
    # Any: pyOpenSSL wants the objects of `cryptography` themselves, Twisted's annotations lag behind.
    options = cast(Any, ssl.CertificateOptions)(
        privateKey=identity.private,
        certificate=make_certificate(identity),
        raiseMinimumTo=ssl.TLSVersion.TLSv1_3,
    )
    context: SSL.Context = options.getContext()
    # A resumed session would skip the certificate: no tickets, no cache.
    context.set_options(SSL.OP_NO_TICKET)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, _verify)
    return context


def _verify(connection: SSL.Connection, certificate: crypto.X509, error: int, depth: int, ok: int) -> bool:
    """Accept exactly the keys that the link's owner accepts; names, dates and issuers mean nothing here."""
    return depth == 0 and bool(connection.get_app_data().wrappedProtocol.accepts_key(key_of(certificate)))


@implementer(IOpenSSLClientConnectionCreator, IOpenSSLServerConnectionCreator)
class ConnectionCreator:
    """Makes the TLS side of links; the protocol inside decides about the key (`accepts_key`)."""

    def __init__(self, identity: Identity) -> None:
        self._context = _make_context(identity)

    def clientConnectionForTLS(self, protocol: Any) -> SSL.Connection:
        """The dialler's half."""
        return self._connection(protocol)

    def serverConnectionForTLS(self, protocol: Any) -> SSL.Connection:
        """The listener's half."""
        return self._connection(protocol)

    def _connection(self, protocol: Any) -> SSL.Connection:
        connection = SSL.Connection(self._context, None)
        connection.set_app_data(protocol)
        return connection


def explain_tls(error: BaseException) -> str:
    """A TLS failure in words a log can show."""
    if not isinstance(error, SSL.Error):
        return str(error) or type(error).__name__
    reasons = [entry[2] for entry in error.args[0]] if error.args and isinstance(error.args[0], list) else []
    text = ", ".join(str(reason) for reason in reasons) or "TLS failed"
    if "certificate verify failed" in text:
        return "wrong key: the other side's certificate is not accepted here"
    if "alert" in text:
        return f"the other side refused our key or our TLS ({text})"
    if any(sign in text for sign in ("wrong version number", "http request", "packet length", "unsupported protocol")):
        return f"not TLS 1.3 ({text})"
    return text
