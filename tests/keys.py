"""Keys and certificates of the tests, made anew in each process; they open nothing."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from vcontract.runtime.vcon.trust.keys import PrivateKey, PublicKey

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RSA_KEY = rsa.generate_private_key(65537, 2048)
OTHER_RSA_KEY = rsa.generate_private_key(65537, 2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


def certificate(
    name: str,
    key: PrivateKey,
    issuer: str,
    by: PrivateKey,
    *,
    is_ca: bool = False,
    days: int = 365,
    may_issue: bool | None = None,
) -> x509.Certificate:
    """`may_issue` is what its keyUsage says; None leaves that out."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
    )
    if may_issue is not None:
        others = dict.fromkeys(
            ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign"),
            False,
        )
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=may_issue,
            encipher_only=False,
            decipher_only=False,
            **others,
        )
        builder = builder.add_extension(usage, critical=True)
    return builder.sign(by, hashes.SHA256())


ROOT = certificate("Root", EC_KEY, "Root", EC_KEY, is_ca=True)
LEAF = certificate("Calls of Example", RSA_KEY, "Root", EC_KEY)


def pem(*parts: PrivateKey | PublicKey | x509.Certificate) -> str:
    def encoded(part: PrivateKey | PublicKey | x509.Certificate) -> bytes:
        if isinstance(part, x509.Certificate):
            return part.public_bytes(serialization.Encoding.PEM)
        if isinstance(part, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
            return part.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        return part.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    return b"".join(map(encoded, parts)).decode()
