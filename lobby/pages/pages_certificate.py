"""The operator's certificate for the pages, where no reverse proxy does the TLS. It is renewed every few weeks, so its
files are read again when the lobby reads its settings again; connections that come later get the new one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates
from OpenSSL import SSL
from twisted.internet import ssl

from kontor_games.engine.errors import ConfigError


class PagesCertificate:
    """What TLS begins with, for Twisted: `getContext` is asked once for each connection."""

    def __init__(self, certificate: str, private_key: str) -> None:
        self._certificate, self._private_key = certificate, private_key
        self._options = self._read()

    def read_again(self) -> None:
        """Take the files as they are now; ConfigError, and nothing has changed, if they cannot be used."""
        self._options = self._read()

    def getContext(self) -> Any:
        """The settings of OpenSSL for the next connection."""
        return self._options.getContext()

    def _read(self) -> Any:
        try:
            first, *rest = load_pem_x509_certificates(Path(self._certificate).read_bytes())
            key = load_pem_private_key(Path(self._private_key).read_bytes(), None)
            options = cast(Any, ssl.CertificateOptions)(
                privateKey=key, certificate=first, extraCertChain=rest, raiseMinimumTo=ssl.TLSVersion.TLSv1_2
            )
            options.getContext()
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm, SSL.Error) as error:
            files = f"{self._certificate} and {self._private_key}"
            raise ConfigError(f"pages: {files} cannot be used for TLS: {error}") from error
        return options
