"""Connections that a certificate stands in the way of: a server that offers TLS, and what is said of it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pydantic import SecretStr

from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.errors import ServerUnreachable

NOT_UNDERSTOOD = "is not understood"


def certificate(folder: Path, host: str) -> Path:
    """A file with a certificate for the host, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject_name=name, issuer_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{host}.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The certificate of the server, that of somebody else, and a home without any."""
    certificate(tmp_path, "db.example")
    certificate(tmp_path, "other.example")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
async def port(folder: Path) -> AsyncIterator[int]:
    """Where a server offers TLS as PostgreSQL does, with the certificate of db.example."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "db.example.pem")

    async def offer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readexactly(8)  # an SSLRequest
            writer.write(b"S")
            await writer.start_tls(context)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(offer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("sslmode=verify-full&sslrootcert={folder}/db.example.pem", "certificate is not valid for"),
        (
            "sslmode=verify-ca&sslrootcert={folder}/other.example.pem",
            "the server's certificate is not trusted: self-signed certificate",
        ),
        ("sslmode=verify-full", "name the file of the authority that signed the server's certificate"),
        ("sslmode=verify-full&sslrootcert=/no/such.pem", "the file '/no/such.pem' that sslrootcert names"),
        ("sslmode=require&sslcert=/no/such.pem", "the file '/no/such.pem' that sslcert names cannot be read"),
        ("sslmode=verify-ca&sslrootcert={folder}/empty.pem", "TLS failed"),
    ],
)
async def test_a_certificate_in_the_way_is_told_as_that(
    settings: Settings, folder: Path, port: int, parameters: str, words: str
) -> None:
    (folder / "empty.pem").write_text("", encoding="ascii")
    url = f"postgresql://me:secret@127.0.0.1:{port}/calls?{parameters.format(folder=folder)}"

    with pytest.raises(ServerUnreachable) as caught:
        await Database.open(settings.model_copy(update={"database_url": SecretStr(url)}))

    said = str(caught.value)
    assert said.startswith("cannot connect to the database at 127.0.0.1/calls: ")
    assert words in said
    assert "sslmode=verify-full&sslrootcert=FILE" in said
    assert NOT_UNDERSTOOD not in said
    assert "secret" not in said
