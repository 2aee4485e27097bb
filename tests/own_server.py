"""A PostgreSQL of one's own: the wheel's, on a port of this machine, that asks logins for their password.

    python -m tests.own_server COMMAND…

runs a command with such a server in `VCONTRACT_TEST_DATABASE_URL`, or with the one that stands there already.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.installation import Installation, environment, find_installation

EXTERNAL_SERVER = "VCONTRACT_TEST_DATABASE_URL"
"""Names the server that the tests run on, instead of one that they start."""

PASSWORD = "p%ss/word"  # noqa: S105 - of a server that ends with its test


class OwnServer:
    """Runs from `start` to `stop`; `data` may hold a base backup already.

    Who comes to the database `trusting` is asked for no password.
    """

    def __init__(
        self,
        folder: Path,
        options: Mapping[str, str] | None = None,
        *,
        installation: Installation | None = None,
        trusting: str | None = None,
    ) -> None:
        self.port = free_port()
        self.cluster = EmbeddedCluster(
            folder,
            linger=0,
            port=self.port,
            installation=installation,
            options={
                "fsync": "off",
                "shared_buffers": "32MB",
                "listen_addresses": "127.0.0.1",
                "hba_file": str(self._hba(folder, trusting)),
                **(options or {}),
            },
        )

    @classmethod
    def standby_of(cls, primary: "OwnServer", folder: Path) -> "OwnServer":
        """One that follows `primary` once it is started."""
        standby = cls(folder)
        subprocess.run(  # noqa: S603 - PostgreSQL's own program
            [
                *(find_installation().program("pg_basebackup"), "--dbname", primary.superuser_url),
                *("--pgdata", str(standby.cluster.data), "--write-recovery-conf", "--checkpoint=fast"),
            ],
            check=True,
        )
        return standby

    def start(self) -> None:
        self.cluster.start()

    def stop(self) -> None:
        self.cluster.stop()

    @property
    def superuser_url(self) -> str:
        return self.cluster.url("postgres")

    def url(self, login: str, database: str) -> str:
        """As a login comes in from elsewhere: by address, with its password."""
        return f"postgresql://{login}:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/{database}"

    def psql(self, sql: str, *arguments: str, database: str = "postgres") -> str:
        """What psql prints of a script that the superuser runs."""
        done = subprocess.run(  # noqa: S603 - PostgreSQL's own program
            [
                *(find_installation().program("psql"), "--no-psqlrc", "--quiet", "--tuples-only"),
                *("--no-align", "--set", "ON_ERROR_STOP=1", "--dbname", self.cluster.url(database)),
                *arguments,
            ],
            input=sql,
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def let_in(self, *logins: str) -> None:
        """Give logins their password."""
        quoted = PASSWORD.replace("'", "''")
        self.psql("".join(f"alter role \"{login}\" password '{quoted}';" for login in logins))

    @staticmethod
    def _hba(folder: Path, trusting: str | None) -> Path:
        file = folder / "postgres" / "hba.conf"
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        trusted = "" if trusting is None else f"host {trusting} all 127.0.0.1/32 trust\n"
        file.write_text(
            f"{trusted}local all all trust\nlocal replication all trust\n"
            "host all all 127.0.0.1/32 scram-sha-256\n"
        )
        return file


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def run_beside(command: Sequence[str]) -> int:
    """What the command ends with, given the address of a server as a role that makes databases and roles."""
    with TemporaryDirectory() as folder:
        server = OwnServer(
            Path(folder),
            {"synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"},
        )
        server.start()
        try:
            server.psql("create role tester login createdb createrole")
            server.psql("create extension vector", database="template1")
            server.let_in("tester")
            url = server.url("tester", "postgres")
            return subprocess.run(command, check=False, env={**os.environ, EXTERNAL_SERVER: url}).returncode  # noqa: S603 - the developer's
        finally:
            server.stop()


if __name__ == "__main__":
    _, *command = sys.argv
    if EXTERNAL_SERVER in os.environ:
        os.execvp(command[0], command)  # noqa: S606 - the developer's
    sys.exit(run_beside(command))
