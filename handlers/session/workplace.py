"""Resolve the folder and project of a call, and the owner of its sessions."""

import getpass
from datetime import UTC, datetime
from pathlib import Path

from vcontract.generated.errors import PermissionDenied, ProjectNotFound
from vcontract.generated.results.session import NextCall
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.workspace.confinement import Confinement, NotAFolder, OutsideRoots
from vcontract.runtime.workspace.git import Git
from vcontract.runtime.workspace.project_facts import ProjectFacts, find_workspace, gather
from vcontract.runtime.workspace.session_rules import Rules


class Workplace:
    """Folders and projects that the operator's rules allow."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.git = Git(rules.git_seconds)

    def confinement(self, ctx: ToolContext) -> Confinement:
        return self.rules.confinement(ctx.tenant, local=ctx.caller.local)

    def folder(self, ctx: ToolContext, given: str | None) -> Path | None:
        """Return the requested folder; by default the start directory, or None over HTTP.

        Raises: PermissionDenied; ProjectNotFound.
        """
        confinement = self.confinement(ctx)
        if given is None:
            if confinement.start is None:
                return None
            given = "."
        try:
            return confinement.folder(given)
        except OutsideRoots:
            setting = f"VCONTRACT_SESSION_{'ALLOWED' if ctx.caller.local else 'HTTP'}_ROOTS"
            raise PermissionDenied(
                "working_directory lies outside the folders that sessions may work in.",
                details={"parameter": "working_directory", "reason": "outside_allowed_roots"},
                suggestions=[f"The operator names more in {setting}."],
            ) from None
        except NotAFolder as refused:
            raise ProjectNotFound(
                f"working_directory cannot be used: {refused}.",
                details={"parameter": "working_directory", "reason": refused.reason},
            ) from None

    async def look(self, ctx: ToolContext, folder: Path | None) -> ProjectFacts | None:
        """Inspect the project around a folder."""
        if folder is None:
            return None
        return await gather(await find_workspace(folder, self.git, self.confinement(ctx)), self.git)

    async def look_at(self, ctx: ToolContext, directory: str | None) -> ProjectFacts | None:
        """Inspect the project around a session's folder; None if it is no longer allowed."""
        if directory is None:
            return None
        try:
            folder = self.confinement(ctx).locate(directory)
        except OutsideRoots:
            return None
        return await self.look(ctx, folder)


def subject_of(ctx: ToolContext) -> str:
    """Owner of sessions: the authenticated subject, or the user of this machine."""
    if not ctx.caller.local:
        return ctx.caller.name
    try:
        return f"{ctx.caller.name}:{getpass.getuser()}"
    except (KeyError, OSError):
        return ctx.caller.name  # a user without a name


def next_call(ctx: ToolContext, tool: str, **arguments: object) -> NextCall:
    """Suggest a call of a tool, by its served name."""
    return {"tool": ctx.contract.canonical_name(f"session_{tool}") or tool, "arguments": arguments}


def now() -> datetime:
    return datetime.now(UTC)
