"""Explain certificate errors of connections to PostgreSQL."""

import os
import ssl
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")
_HOW = "as in ?sslmode=verify-full&sslrootcert=FILE at the end of VCONTRACT_DATABASE_URL"


def certificate_trouble(url: str, error: Exception) -> str | None:
    """Describe a certificate problem and its fix; None for any other error."""
    for name, file in _files(url):
        if not os.access(os.path.expanduser(file), os.R_OK):
            return f"the file {file!r} that {name} names cannot be read; name one that can be, {_HOW}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the server's certificate is not trusted: {error.verify_message.rstrip('.')}; use the host name "
            f"that the certificate is for, and name the file of the authority that signed it, {_HOW}"
        )
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {error.reason or error}; check the certificates and sslmode, {_HOW}"
    if "root certificate file" in str(error):
        return f"{error}; name the file of the authority that signed the server's certificate, {_HOW}"
    return None


def _files(url: str) -> Iterator[tuple[str, str]]:
    try:
        given = parse_qs(urlsplit(url).query)
    except ValueError:  # not a URL
        return
    for name in _FILES:
        for file in given.get(name, ()):
            yield name, file
