"""The lobby's side of TLS: its own key, or a certificate of the operator; either way clients show theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates
from OpenSSL import SSL
from twisted.internet import ssl
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from zope.interface import implementer

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.settings.config import Config
from kontor_games.net.links.tls import ConnectionCreator, key_of
from kontor_games.net.lobbies.lobby_tls import lobby_key_of
from kontor_games.net.wire.identity import Identity


@implementer(IOpenSSLServerConnectionCreator)
class OperatorCreator:
    """TLS with a certificate that the operator got from elsewhere, for instance one that browsers know."""

    def __init__(self, certificate: Path, private_key: Path) -> None:
        try:
            first, *rest = load_pem_x509_certificates(certificate.read_bytes())
            key = load_pem_private_key(private_key.read_bytes(), None)
            # Any: pyOpenSSL wants the objects of `cryptography` themselves, Twisted's annotations lag behind.
            options = cast(Any, ssl.CertificateOptions)(
                privateKey=key, certificate=first, extraCertChain=rest, raiseMinimumTo=ssl.TLSVersion.TLSv1_3
            )
            self._context = options.getContext()
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm, SSL.Error) as error:
            raise ConfigError(f"{certificate} and {private_key} cannot be used for TLS: {error}") from error
        self.key = lobby_key_of(first)
        self._context.set_options(SSL.OP_NO_TICKET)
        self._context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        self._context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, _verify)

    def serverConnectionForTLS(self, protocol: Any) -> SSL.Connection:
        """The listener's half."""
        connection = SSL.Connection(self._context, None)
        connection.set_app_data(protocol)
        return connection


def _verify(connection: SSL.Connection, certificate: Any, error: int, depth: int, ok: int) -> bool:
    return depth == 0 and bool(connection.get_app_data().wrappedProtocol.accepts_key(key_of(certificate)))


def server_tls(config: Config, identity: Identity) -> tuple[Any, bytes]:
    """What makes the lobby's TLS connections, and the key that clients pin and sign for."""
    if not config.certificate:
        return ConnectionCreator(identity), identity.key
    return operator_tls(config)


def operator_tls(config: Config) -> tuple[Any, bytes]:
    """The same for the operator's own certificate as it is on the disk now."""
    creator = OperatorCreator(Path(config.certificate), Path(config.private_key))
    return creator, creator.key
