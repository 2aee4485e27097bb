"""`vcontract doctor`: check the installation, with advice for each problem."""

import os
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

import typer

from vcontract.runtime.cli.check_result import Check
from vcontract.runtime.cli.client_entries import check_entries
from vcontract.runtime.cli.console import counted, print_json, size_of
from vcontract.runtime.cli.disk_checks import (
    check_embedded_pages,
    check_free_space,
    check_privacy,
    check_server_checksums,
)
from vcontract.runtime.cli.embedding import describe_status
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, unchecked_settings, variables_of
from vcontract.runtime.cli.open_store import (
    about_store,
    of_each_store,
    open_as_owner,
    open_store,
    run,
    usage_failures,
)
from vcontract.runtime.cli.platform_check import Machine, platform_error
from vcontract.runtime.store.queries import named_query

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.settings.variables import Variables
    from vcontract.runtime.store.postgres.database import Database
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_EXTENSIONS = ("vector", "pg_trgm", "btree_gin")
_TENANTS_SHOWN = 10
_COUNTED_TO = 10_000
"""Maximum conversations counted; for more, the share refers to these."""


def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Check the installation and the database.

    Prints what to do about each problem. Exits with 1 if a check failed, 3 if the database is unavailable or
    not ready.
    """
    settings = unchecked_settings(context)
    variables = variables_of(context)
    checks = [_program(), _check_settings(settings, variables), *check_entries(variables)]
    checks += run(_collect(settings))
    failed = [check for check in checks if check.state == "failed"]
    if as_json:
        shown = [{name: value for name, value in asdict(check).items() if name != "code"} for check in checks]
        print_json({"healthy": not failed, "checks": shown})
    else:
        _print(checks)
    if failed:
        raise typer.Exit(max(check.code for check in failed))


def _print(checks: list[Check]) -> None:
    width = max(len(check.name) for check in checks)
    margin = " " * (7 + 2 + width + 2)
    for check in checks:
        detail = check.detail.replace("\n", f"\n{margin}")
        typer.echo(f"{check.state:<7}  {check.name:<{width}}  {detail}")
        if check.cure:
            typer.echo(f"{margin}cure: {check.cure}")


async def _collect(settings: "Settings") -> list[Check]:
    return [check async for check in _examine(settings)]


async def _examine(settings: "Settings") -> AsyncIterator[Check]:
    for name, its in settings.stores.items():
        async for check in _examine_store(its):
            yield check if len(settings.stores) == 1 else _of_store(check, name)
    if len(settings.stores) > 1 and (places := await _check_places(settings)) is not None:
        yield places


def _of_store(check: Check, name: str) -> Check:
    """Prefix a check with the name of its store."""
    return replace(check, name=f"{name} {check.name}", cure=about_store(name, check.cure))


async def _check_places(settings: "Settings") -> Check | None:
    """Check that each tenant is in only one store: restoring a backup may undo a move. None without
    access.
    """
    from vcontract.runtime.settings import HOME_STORE
    from vcontract.runtime.store.postgres.tenant_moves import places
    from vcontract.runtime.store.postgres.tenants import names_of_tenants

    async def look(connection: "OwnerConnection") -> tuple[set[str], dict[str, str]] | None:
        if not await _is_owner(connection):
            return None
        marked = await connection.fetch("select name from vcontract.elsewhere")
        tenants = await names_of_tenants(connection)
        return tenants - {row["name"] for row in marked}, await places(connection)

    try:
        found, away = await of_each_store(settings, look)
    except CommandFailed:
        return None
    if (home := found[HOME_STORE]) is None:
        return None
    _, elsewhere = home
    twice = [
        f"{tenant} is in {place}, and rows of it are in {store}, too"
        for store, seen in found.items()
        for tenant in sorted(seen[0] if seen else ())
        if (place := elsewhere.get(tenant, HOME_STORE)) != store
    ]
    if not twice:
        return None if away else Check("tenants", "ok", "each is in one store")
    cure = (
        "find out which store has the newer ones, and run in the other, as its owner: insert into "
        "vcontract.elsewhere values ('NAME OF THE TENANT', 'NAME OF THE STORE WITH THE NEWER ONES', false)"
    )
    return Check("tenants", "failed", "; ".join(twice), cure)


async def _examine_store(settings: "Settings") -> AsyncIterator[Check]:
    from vcontract.runtime.store.postgres.tenant_directory import store_named

    yield _place(settings)
    is_embedded = settings.database_url is None
    if is_embedded:
        if (privacy := check_privacy(settings.data_dir)) is not None:
            yield privacy
        yield check_free_space(settings.data_dir)
    try:
        if is_embedded:
            yield await check_embedded_pages(settings.data_dir)
            # creates cluster and schema if missing, as any command would
            async with open_store(settings):
                pass
        async with open_as_owner(settings) as connection:
            if not is_embedded:
                yield await check_server_checksums(connection)
            is_usable = True
            async for check in _examine_server(connection):
                yield check
                is_usable = is_usable and check.state != "failed"
        if not is_usable:
            return
        async with open_store(settings) as database:
            yield await _check_role(database)
            if await store_named(database, DEFAULT_TENANT) is None:
                yield await _check_embedding(settings, database)
                if settings.embedding_provider == "minilm":
                    yield await _check_languages(database)
    except CommandFailed as failure:
        yield Check(
            "server",
            "failed",
            failure.cause or failure.message,
            _server_cure(settings, failure),
            failure.code,
        )


def _server_cure(settings: "Settings", failure: CommandFailed) -> str:
    """Advice for a failed database check, other than to run this command."""
    if failure.cure and "vcontract doctor" not in failure.cure:
        return failure.cure
    if settings.database_url is not None:
        return "start the server, or correct VCONTRACT_DATABASE_URL"
    from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

    log = EmbeddedCluster(settings.data_dir).log_file
    other = "set VCONTRACT_DATA_DIR to another folder"
    return f"fix what the end of {log} reports, or {other}" if os.access(log, os.R_OK) else other


def _program() -> Check:
    from importlib import metadata

    version = metadata.version("vcontract")
    detail = f"vcontract {version}, Python {sys.version.split()[0]} ({sys.executable})"
    if (problem := platform_error(Machine.here())) is not None:
        return Check("program", "warning", f"{detail}: {problem.message}", problem.cure)
    return Check("program", "ok", detail)


def _check_settings(settings: "Settings", variables: "Variables") -> Check:
    """Check that `serve` could start with these settings, and that no variable is unknown."""
    from vcontract.runtime.app import check_settings

    try:
        with usage_failures():
            tools = check_settings(settings)
    except CommandFailed as failure:
        detail = f"{failure.message}: {failure.cause}" if failure.cause else failure.message
        return Check("settings", "failed", detail, failure.cure or "")
    if unknown := list(variables.unknown()):
        cure = "docs/settings.md lists the settings; correct or unset these"
        is_open = any(each.is_restriction for each in unknown)
        detail = " ".join(map(str, unknown))
        return Check("settings", "failed" if is_open else "warning", detail, cure, ExitCode.USAGE)
    return Check("settings", "ok", f"{counted(len(tools), 'tool')} served")


def _place(settings: "Settings") -> Check:
    if settings.database_url is None:
        return Check("database", "ok", f"embedded, in {settings.data_dir}")
    parts = urlsplit(settings.database_url.get_secret_value())
    return Check("database", "ok", f"external, {parts.hostname or 'local socket'}, {parts.path.lstrip('/')}")


async def _check_role(database: "Database") -> Check:
    """Check tenant isolation: a placeholder tenant must see no rows."""
    from vcontract.runtime.store.postgres.roles import effective_privileges

    async with database.reading(f"doctor.{uuid4().hex}") as opened:
        sight = await effective_privileges(opened)
    if sight.tables:
        return Check(
            "server role",
            "failed",
            f"{sight.role} sees rows of other tenants in {', '.join(sight.tables)}",
            "stop serving; as the owner, enable row level security on these tables, with own_tenant as the "
            "only policy",
        )
    detail = f"{sight.role}, logged in as {sight.login}; sees no row of another tenant"
    if sight.login_passes:
        cure = (
            "the login has more privileges than it needs: give VCONTRACT_DATABASE_URL a login of its own "
            f"(create role NAME login; grant {sight.role} to NAME), and use the owner only to migrate"
        )
        return Check("server role", "warning", detail, cure)
    return Check("server role", "ok", detail)


async def _check_embedding(settings: "Settings", database: "Database") -> Check:
    """Check that queries can be embedded, and how much of the stdio tenant's text is."""
    from vcontract.runtime.embedding.embedder import ModelUnavailable
    from vcontract.runtime.embedding.service import Embeddings

    embeddings = Embeddings(settings, database)
    try:
        await embeddings.query(DEFAULT_TENANT, "ready?")
        async with database.reading(DEFAULT_TENANT) as opened:
            status = await embeddings.status(opened, DEFAULT_TENANT)
    except ModelUnavailable as error:
        detail = f"search by meaning is off: {error}"
        if error.reason == "not_configured" and settings.embedding_provider == "none":
            return Check("embedding", "ok", detail, error.cure)
        return Check("embedding", "warning", detail, error.cure)
    finally:
        await embeddings.close()
    if status.coverage.pending or status.building is not None:
        cure = "run `vcontract embed`; a running server embeds in the background"
        return Check("embedding", "warning", describe_status(status), cure)
    return Check("embedding", "ok", describe_status(status))


async def _check_languages(database: "Database") -> Check:
    """Check that most of the tenant's text is English, which the bundled model knows."""
    from vcontract.runtime.store.search.filter_conditions import Filters, count_filtered
    from vcontract.runtime.store.search.languages import counts_by_language

    async with database.reading(DEFAULT_TENANT) as opened:
        counts = await counts_by_language(opened, ["vcon"], _COUNTED_TO)
        vcons = min(await count_filtered(opened, DEFAULT_TENANT, Filters()), _COUNTED_TO)
    others = {language: count for language, count in counts.items() if count > vcons / 2}
    if not others:
        return Check("languages", "ok", "English or unknown, for the most part")
    shown = ", ".join(f"{language} in {count:,}" for language, count in others.items())
    return Check(
        "languages",
        "warning",
        f"{shown} of {counted(vcons, 'conversation')}; the model that embeds them knows English, so search by"
        " meaning misses much",
        "use a multilingual model: docs/search.md, Languages, has the settings",
    )


async def _examine_server(connection: "OwnerConnection") -> AsyncIterator[Check]:
    from vcontract.runtime.store.postgres.schema_status import MIGRATE_COMMAND, schema_status

    version = await connection.fetchval("select version()")
    yield Check("server", "ok", version.partition(" on ")[0])
    yield await _check_extensions(connection)
    found = await schema_status(connection)
    if found.problems:
        yield Check("schema", "failed", "; ".join(found.problems), code=ExitCode.NO_STORE)
    elif found.lacking:
        cure = f"run: {MIGRATE_COMMAND}"
        yield Check("schema", "failed", f"lacks {', '.join(found.lacking)}", cure, ExitCode.NO_STORE)
    else:
        yield Check("schema", "ok", f"up to date ({counted(len(found.applied), 'migration')})")
        yield await _count(connection)


async def _check_extensions(connection: "OwnerConnection") -> Check:
    rows = await connection.fetch(
        *named_query(
            "select name, coalesce(installed_version, default_version) from pg_available_extensions "
            "where name = any(:extensions) order by name",
            extensions=list(_EXTENSIONS),
        ),
    )
    offered: dict[str, str] = {row[0]: row[1] for row in rows}
    missing = [name for name in _EXTENSIONS if name not in offered]
    if missing:
        return Check(
            "extensions",
            "failed",
            f"the server does not offer {', '.join(missing)}",
            "install PostgreSQL's contrib package and pgvector there, or unset VCONTRACT_DATABASE_URL",
        )
    return Check("extensions", "ok", ", ".join(f"{name} {version}" for name, version in offered.items()))


async def _is_owner(connection: "OwnerConnection") -> bool:
    owns: bool = await connection.fetchval(
        "select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'vcontract'"
    )
    return owns


async def _count(connection: "OwnerConnection") -> Check:
    size = await connection.fetchval("select pg_database_size(current_database())")
    if not await _is_owner(connection):
        total = await connection.fetchval("select vcontract.count_rows('vcon')")
        return Check("content", "ok", f"{counted(total, 'vCon')}, {size_of(size)}")
    tenants = await connection.fetch(
        "select tenant, count(*) from vcontract.vcon group by tenant order by count(*) desc, tenant"
    )
    total = sum(row[1] for row in tenants)
    named = ", ".join(f"{row[0]} {row[1]:,}" for row in tenants[:_TENANTS_SHOWN])
    more = f", and {len(tenants) - _TENANTS_SHOWN} more" if len(tenants) > _TENANTS_SHOWN else ""
    by_tenant = f" ({named}{more})" if tenants else ""
    return Check("content", "ok", f"{counted(total, 'vCon')}{by_tenant}, {size_of(size)}")
