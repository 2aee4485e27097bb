"""`vcontract people …`: merge names, addresses and numbers of a person."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import counted, note, print_json, print_table, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.vocabulary.people import People

people = typer.Typer(
    name="people", help="Merge the names, addresses and numbers of one person.", no_args_is_help=True
)

_FORMS = "use YAML with a list of names per person, or CSV with one person per row"


@people.command()
@reporting
def merge(
    context: typer.Context,
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="Names, email addresses or phone numbers.", show_default=False),
    ],
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Treat names, addresses and numbers as one person.

    Search, filters, recall and counts then find the person under each of them. Conversations are not changed.
    Counts show the first name.
    """
    if len(names) < 2:
        raise CommandFailed("one name cannot be merged", cure="give at least two names", code=ExitCode.USAGE)
    (person,) = run(_merge(settings_of(context), tenant, "people merge", [names]))
    say(f"Merged {counted(len(names), 'name')} as {person}.")


@people.command()
@reporting
def split(
    context: typer.Context,
    person: Annotated[
        str, typer.Argument(metavar="PERSON", help="Any name of the person.", show_default=False)
    ],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Names to remove.", show_default=False)
    ] = None,
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Undo a merge: remove names from a person, or the whole person.

    The whole person is removed if you give no NAME, or the name that counts show. Exits with 1 if nothing
    was merged.
    """
    removed = run(_split(settings_of(context), tenant, person, names or ()))
    if not removed:
        raise CommandFailed(
            f"nothing is merged as {person!r}", cure="`vcontract people list` lists the people"
        )
    say(f"Removed {counted(removed, 'name')}.")


@people.command("list")
@reporting
def list_(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """List people with several names."""
    found = run(_list(settings_of(context), tenant))
    listed = {
        person: list(dict.fromkeys(alias.written for alias in aliases))
        for person, aliases in found.names.items()
    }
    if as_json:
        print_json({"people": [{"person": person, "names": [*names]} for person, names in listed.items()]})
    elif not listed:
        note("No people. Merge some with `vcontract people merge NAME NAME`.")
    else:
        print_table([(person, ", ".join(names[1:])) for person, names in listed.items()], indent="")


@people.command("import")
@reporting
def import_(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="YAML or CSV file of people.", show_default=False)
    ],
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Merge all people of a file.

    YAML: `Ana Souza: [ana@example.org, "+55 11 91234-5678"]`. CSV: one row per person, a name in each cell.
    """
    groups = _groups(file)
    merged = run(_merge(settings_of(context), tenant, "people import", groups))
    say(f"Merged the names of {len(set(merged)):,} people." if merged else "The file has no people.")


def _groups(file: Path) -> list[list[str]]:
    """Read each person's names from a YAML or CSV file.

    Raises: CommandFailed.
    """
    from ruamel.yaml.error import YAMLError

    from vcontract.runtime.frame.documents.json_values import is_array, is_object
    from vcontract.runtime.vcon.spec_files import read_yaml

    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix.lower() == ".csv":
            rows = csv.reader(text.splitlines(), strict=True)
            groups = [[cell.strip() for cell in row if cell.strip()] for row in rows]
            return _checked(file, [group for group in groups if group])
        document = read_yaml(text)
    except OSError as error:
        cause = error.strerror or str(error)
        raise CommandFailed(f"{file} cannot be read", cause=cause, code=ExitCode.USAGE) from None
    except (YAMLError, csv.Error, UnicodeDecodeError) as error:
        raise CommandFailed(
            f"{file} is not a valid people file",
            cause=" ".join(str(error).split()),
            cure=_FORMS,
            code=ExitCode.USAGE,
        ) from None
    if not is_object(document) or not all(is_array(names) for names in document.values()):
        raise CommandFailed(f"{file} is not a valid people file", cure=_FORMS, code=ExitCode.USAGE)
    return _checked(file, [[str(person), *map(str, names)] for person, names in document.items()])


def _checked(file: Path, groups: list[list[str]]) -> list[list[str]]:
    """Return the groups unchanged.

    Raises: CommandFailed for a name under two people.
    """
    from vcontract.runtime.store.vocabulary.people import key_of

    owners: dict[str, str] = {}
    for group in groups:
        for name in group:
            if (owner := owners.setdefault(key_of(name), group[0])) != group[0]:
                raise CommandFailed(
                    f"{file} has {name!r} under both {owner!r} and {group[0]!r}",
                    cure="list each name under one person",
                    code=ExitCode.USAGE,
                )
    return groups


async def _merge(
    settings: "Settings", tenant: str, command: str, groups: Sequence[Sequence[str]]
) -> list[str]:
    from vcontract.runtime.store.postgres.consent import without_consent_filter
    from vcontract.runtime.store.vocabulary.people import NoAlias, merge

    # also what consent withholds has one person under each name
    with without_consent_filter():
        async with open_store(settings, tenant) as database, database.writing(tenant) as connection:
            try:
                merged = await merge(connection, tenant, groups)
            except NoAlias as error:
                raise CommandFailed(str(error), code=ExitCode.USAGE) from None
            await record_command(connection, tenant, command, {"people": len(set(merged))})
    return merged


async def _split(settings: "Settings", tenant: str, person: str, names: Sequence[str]) -> int:
    from vcontract.runtime.store.postgres.consent import without_consent_filter
    from vcontract.runtime.store.vocabulary.people import NoAlias, split

    with without_consent_filter():
        async with open_store(settings, tenant) as database, database.writing(tenant) as connection:
            try:
                removed = await split(connection, tenant, person, names)
            except NoAlias as error:
                raise CommandFailed(str(error), code=ExitCode.USAGE) from None
            if removed:
                await record_command(connection, tenant, "people split", {"names": removed})
    return removed


async def _list(settings: "Settings", tenant: str) -> "People":
    from vcontract.runtime.store.vocabulary.people import People

    async with open_store(settings, tenant) as database, database.reading(tenant) as connection:
        return await People.of(connection, tenant)
