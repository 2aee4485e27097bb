"""An issuer of access tokens, at an address of this machine."""

import contextlib
import json
import threading
import time
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ISSUER, AUDIENCE = "https://issuer.example", "https://store.example/mcp"


class Issuer(ThreadingHTTPServer):
    """Publishes keys at an address of this machine."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Keys)
        self.status = 200
        self.body = b""
        self.asked = 0

    def publish(self, **keys: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> None:
        """Have these keys, by their names, and no others."""
        published = [
            {**json.loads(RSAAlgorithm.to_jwk(key.public_key())), "kid": name, "use": "sig", "alg": "RS256"}
            if isinstance(key, rsa.RSAPrivateKey)
            else {**json.loads(ECAlgorithm.to_jwk(key.public_key())), "kid": name, "use": "sig"}
            for name, key in keys.items()
        ]
        self.status, self.body = 200, json.dumps({"keys": published}).encode()

    @property
    def keys_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/keys"


class _Keys(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        issuer = self.server
        assert isinstance(issuer, Issuer)
        issuer.asked += 1
        self.send_response(issuer.status)
        self.end_headers()
        self.wfile.write(issuer.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def publishing() -> Generator[Issuer]:
    """An issuer that has published the key which its tokens are signed with."""
    server = Issuer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.publish(one=KEY)
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def access_token(
    tenant: str,
    *,
    key: Any = KEY,
    algorithm: str = "RS256",
    kid: str = "one",
    typ: str = "at+jwt",
    **changes: object,
) -> str:
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ann",
        "exp": int(time.time()) + 600,
        "tenant": tenant,
        "scope": "openid read write",
    }
    kept = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    return jwt.encode(kept, key, algorithm, {"kid": kid, "typ": typ})
