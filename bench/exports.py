"""Exports: 100,000 messages of chats, and a mailbox of 1 GB. `python -m bench.exports`."""

import base64
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

_COMMAND: Final = str(Path(sys.executable).with_name("vcontract"))
_WORDS: Final = (
    "roof slate ladder invoice garden north winter paid tiler morning water leak repair price".split()
)
_CHATS: Final = 100
_MESSAGES: Final = 1_000
_THREADS: Final = 4_000
_MAILBOX: Final = 1 << 30
"""Bytes."""
_ATTACHED: Final = 400_000
"""Bytes, to each tenth mail."""


def main() -> None:
    """Print what each import takes, the store made before, without vectors."""
    some = random.Random(1)  # noqa: S311  (the same words each time)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            **os.environ,
            "VCONTRACT_DATA_DIR": str(folder / "data"),
            "VCONTRACT_EMBEDDING_PROVIDER": "none",
        }
        _imported("--examples", environment)
        _write_chats(folder / "chats", some)
        _write_mailbox(folder / "all.mbox", some)
        print("| import | seconds | conversations | MB of the largest process |\n|---|---|---|---|")
        for what, path in (
            (f"{_CHATS * _MESSAGES:,} messages in {_CHATS} chats", folder / "chats"),
            ("the same again", folder / "chats"),
            (f"a mailbox of {(folder / 'all.mbox').stat().st_size / 1e9:.2f} GB", folder / "all.mbox"),
        ):
            started = time.perf_counter()
            summary = _imported(str(path), environment)
            seconds = time.perf_counter() - started
            largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_000
            read = summary["created"] + summary["identical"]
            print(f"| {what} | {seconds:.0f} | {read:,} | {largest:.0f} |", flush=True)


def _imported(what: str, environment: dict[str, str]) -> dict[str, int]:
    """The summary of an import in which nothing went wrong."""
    command = [_COMMAND, "import", what, "--json"]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)  # noqa: S603
    summary: dict[str, int] = json.loads(done.stdout)
    assert not summary["refused"], done.stdout
    return summary


def _said(some: random.Random, most: int) -> str:
    return " ".join(some.choices(_WORDS, k=some.randint(3, most)))


def _write_chats(folder: Path, some: random.Random) -> None:
    """Chats as WhatsApp on Android writes them."""
    folder.mkdir()
    for number in range(_CHATS):
        at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)
        with (folder / f"WhatsApp Chat with Friend {number}.txt").open("w", encoding="utf-8") as file:
            for message in range(_MESSAGES):
                at += timedelta(minutes=some.randint(0, 60))
                name = some.choice(("Ann Example", f"Friend {number}"))
                file.write(f"{at:%d/%m/%Y, %H:%M} - {name}: {_said(some, 15)} {message}\n")


def _write_mailbox(path: Path, some: random.Random) -> None:
    """Mails of 60 lines in threads, each tenth with a file."""
    with path.open("wb") as file:
        number = 0
        while file.tell() < _MAILBOX:
            thread = number % _THREADS
            text = "\n".join(_said(some, 15) for _ in range(60))
            answers = f"References: <{thread}@a.example>\n" if number >= _THREADS else ""
            clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
            head = (
                f"From x@y Tue Mar  5 10:00:00 2024\nFrom: Ann {thread % 50} <ann{thread % 50}@a.example>\n"
                f"To: Bob <bob@b.example>\nSubject: Thread {thread}\n"
                f"Date: Tue, 5 Mar 2024 {clock} +0000\n"
                f"Message-ID: <{number}@a.example>\n{answers}"
            )
            body = f"\n{text}\n\n"
            if number % 10 == 0:
                content = base64.encodebytes(some.randbytes(_ATTACHED)).decode()
                body = (
                    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
                    f"--b\nContent-Type: text/plain\n\n{text}\n--b\nContent-Type: application/pdf\n"
                    "Content-Transfer-Encoding: base64\n"
                    f"Content-Disposition: attachment; filename=plan.pdf\n\n{content}--b--\n\n"
                )
            file.write(f"{head}{body}".encode())
            number += 1


if __name__ == "__main__":
    main()
