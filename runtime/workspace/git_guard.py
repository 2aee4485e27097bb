"""The guard of a git that reads: no program runs that a repository names, nothing is fetched or written."""

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from vcontract.runtime.workspace.processes import Finished, run

_ENVIRONMENT: Final = {
    # no transport at all: unlike protocol.allow, no setting of a repository is stronger
    "GIT_ALLOW_PROTOCOL": "",
    # an object that is missing stays missing, also where a promisor remote is named
    "GIT_NO_LAZY_FETCH": "1",
    # the index is not written, so no hook is told of it
    "GIT_OPTIONAL_LOCKS": "0",
}
_FIXED: Final = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
_REQUIRED: Final = re.compile(r"filter\..+\.required")
_PROGRAM: Final = re.compile(
    r"(?:alias|pager)\..+|hook\..+\.event"
    r"|(?:browser|difftool|man|mergetool)\..+\.path"
    r"|.+\.(?:clean|smudge|process|textconv|external|driver|askpass|browser|difffilter|gitproxy|helper|httpd"
    r"|pager|smtpserver|tunnel|.*(?:cmd|command|editor|hook|program))",
)
"""What names a program; git writes section and last word of a name in small letters.

Source: git-config(1).
"""
_UNGUARDED: Final = b"fatal: this git takes no settings from its environment; vcontract needs git 2.31"


async def run_guarded(folder: Path, arguments: Iterable[str], seconds: float) -> Finished:
    """Run a git command that reads, with every setting emptied that names a program.

    Raises: OSError when there is no git, or no folder.
    """
    token = f"vcontract.{secrets.token_hex(8)}.guarded"
    listed = await run(
        ["git", "config", "--list", "--name-only", "-z"],
        folder,
        seconds,
        environment=_environment({token: "true"}),
    )
    if not listed.succeeded:
        return listed
    names = [os.fsdecode(name) for name in listed.output.split(b"\0")]
    if token not in names or not listed.is_whole:
        return Finished(1, b"", _UNGUARDED, listed.milliseconds)
    return await run(["git", *arguments], folder, seconds, environment=_environment(_emptied(names)))


def _emptied(names: Iterable[str]) -> dict[str, str]:
    """Values for the settings of these names that leave no program."""
    emptied = {name: "" for name in names if _PROGRAM.fullmatch(name)}
    optional = {name: "false" for name in names if _REQUIRED.fullmatch(name)}
    return {**emptied, **optional, **_FIXED}


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Environment that gives git these settings, above all others. Names may hold any character.

    Source: git-config(1), GIT_CONFIG_COUNT.
    """
    given = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        given[f"GIT_CONFIG_KEY_{number}"] = name
        given[f"GIT_CONFIG_VALUE_{number}"] = value
    return {**_ENVIRONMENT, **given}
