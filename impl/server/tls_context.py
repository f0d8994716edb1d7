"""TLS: a certificate and its key, ready for use.

What goes wrong with the two files goes wrong when the broker starts, and the error says which file
it is about and what to do; the messages of OpenSSL say neither.
"""

from __future__ import annotations

import ssl
from pathlib import Path

__all__ = ["TlsError", "load_tls"]


class TlsError(Exception):
    """The certificate or the key cannot be used; the text says why, and what to do."""


def load_tls(certificate: Path, key: Path, authorities: Path | None = None) -> ssl.SSLContext:
    """Return what a server needs to speak TLS 1.2 or later.

    Args:
        certificate: file of the server's certificate, in PEM, then those that vouch for it.
        key: file of its private key, in PEM, without a passphrase.
        authorities: file of certificates, in PEM; if given, a client must show a certificate
            that one of them vouches for.

    Raises:
        TlsError: a file cannot be read, is no such thing, or they do not belong together.
    """
    certificates = _read(certificate, "certificate")
    keys = _read(key, "key")
    if "CERTIFICATE-----" not in certificates:
        raise TlsError(f"{certificate} holds no certificate in PEM; is it the key, or in DER?")
    if "PRIVATE KEY-----" not in keys:
        raise TlsError(f"{key} holds no private key in PEM; is it the certificate, or in DER?")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without the function, OpenSSL would ask for a passphrase on the terminal.
        context.load_cert_chain(certificate, key, password=lambda: "")
    except (ssl.SSLError, OSError) as error:
        raise TlsError(_explain(certificate, key, keys, error)) from None
    if authorities is not None:
        _trust(context, authorities)
    return context


def _read(file: Path, what: str) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError as error:
        raise TlsError(f"cannot read the {what} {file}: {error.strerror}") from None


def _explain(certificate: Path, key: Path, keys: str, error: Exception) -> str:
    if "ENCRYPTED" in keys:
        return f"{key} asks for a passphrase; store it without one (openssl pkey -in … -out …)"
    if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
        return f"{key} is not the key of the certificate {certificate}"
    return f"{certificate} and {key} cannot be used: {error}"


def _trust(context: ssl.SSLContext, authorities: Path) -> None:
    _read(authorities, "certificates of authorities")
    try:
        context.load_verify_locations(authorities)
    except (ssl.SSLError, OSError):
        raise TlsError(f"{authorities} holds no certificates in PEM") from None
    context.verify_mode = ssl.CERT_REQUIRED
