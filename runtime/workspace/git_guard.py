"""Run git read-only and safely: no program that a repository configures runs, nothing is fetched or
written.
"""

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from vcontract.runtime.workspace.processes import Finished, run

_ENVIRONMENT: Final = {
    # no transport at all: unlike protocol.allow, no setting of a repository overrides it
    "GIT_ALLOW_PROTOCOL": "",
    # do not fetch missing objects, even from a promisor remote
    "GIT_NO_LAZY_FETCH": "1",
    # the index is not written, so no hook runs
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
"""Settings that name a program. Git prints section and last word of a name in lower case.

Source: git-config(1).
"""
_NO_ENVIRONMENT: Final = b"fatal: this git takes no settings from its environment; vcontract needs git 2.31"
_TOO_MANY_SETTINGS: Final = b"fatal: git lists too many settings to guard against"


async def run_guarded(folder: Path, arguments: Iterable[str], seconds: float) -> Finished:
    """Run a read-only git command with every setting that names a program emptied.

    Raises: OSError if there is no git, or no folder.
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
    if not listed.is_whole:
        return Finished(1, b"", _TOO_MANY_SETTINGS, listed.milliseconds)
    if token not in names:
        return Finished(1, b"", _NO_ENVIRONMENT, listed.milliseconds)
    return await run(["git", *arguments], folder, seconds, environment=_environment(_emptied(names)))


def _emptied(names: Iterable[str]) -> dict[str, str]:
    """Return values of these settings that run no program."""
    emptied = {name: "" for name in names if _PROGRAM.fullmatch(name)}
    optional = {name: "false" for name in names if _REQUIRED.fullmatch(name)}
    return {**emptied, **optional, **_FIXED}


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Environment that overrides git settings. Names may contain any character.

    Source: git-config(1), GIT_CONFIG_COUNT.
    """
    given = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        given[f"GIT_CONFIG_KEY_{number}"] = name
        given[f"GIT_CONFIG_VALUE_{number}"] = value
    return {**_ENVIRONMENT, **given}
