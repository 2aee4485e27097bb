"""`vcontract export`: write conversations to a file."""

import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal, TypeAlias, cast
from uuid import UUID

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.completing import vcon_ids
from vcontract.runtime.cli.console import counted, is_read_by_a_person, note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.filter_options import (
    Events,
    NotSaid,
    Party,
    RepeatWithin,
    Said,
    SaidBy,
    SaidWithin,
    Since,
    Tags,
    Until,
    filters_of,
    said_filters,
)
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run
from vcontract.runtime.cli.short_ids import full_id
from vcontract.runtime.frame.documents.plain_text import plain
from vcontract.runtime.vcon.search_explanations import hints_of

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.imports.export import Shape
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Database
    from vcontract.runtime.store.search.filter_conditions import Filters
    from vcontract.runtime.store.vcons.store import VconStore
    from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
    from vcontract.runtime.vcon.formats import Format
    from vcontract.runtime.vcon.trust.keys import PublicKey, Signer


Output: TypeAlias = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write, compressed if it ends in .gz; - is standard output.",
    ),
]


def export(
    context: typer.Context,
    uuids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            help="Conversations to export; all by default.",
            autocompletion=vcon_ids,
            show_default=False,
        ),
    ] = None,
    tag: Tags = [],  # noqa: B006  (typer wants a list)
    party: Party = None,
    since: Since = None,
    until: Until = None,
    event: Events = [],  # noqa: B006  (typer wants a list)
    said: Said = [],  # noqa: B006  (typer wants a list)
    not_said: NotSaid = [],  # noqa: B006  (typer wants a list)
    said_by: SaidBy = None,
    said_within: SaidWithin = None,
    repeat_within: RepeatWithin = None,
    output: Output = "-",
    form: Annotated[
        Literal["jsonl", "markdown", "html", "csv"],
        typer.Option(
            "--format",
            help="JSON Lines can be imported again. Markdown and HTML are for reading, CSV is for "
            "spreadsheets (one row per turn).",
        ),
    ] = "jsonl",
    pretty: Annotated[
        bool,
        typer.Option(
            "--pretty/--compact",
            help="Indent the JSON (requires an ID), or write one vCon per line.",
        ),
    ] = False,
    version: Annotated[
        Literal["0.4.0", "0.5.0"] | None,
        typer.Option(
            "--vcon-version",
            metavar="VERSION",
            help="Write all vCons as 0.4.0 or 0.5.0, as `vcontract convert` does; JSON Lines only.",
            show_default=False,
        ),
    ] = None,
    signed: Annotated[
        bool, typer.Option("--signed", help="Write the signed form of signed vCons; JSON Lines only.")
    ] = False,
    encrypt_for: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Encrypt for the certificates and public keys (PEM) in FILE; JSON Lines only. "
            "Unsigned vCons are signed first.",
            show_default=False,
        ),
    ] = None,
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Export conversations as JSON Lines, Markdown, HTML or CSV.

    Oldest first. JSON Lines can be imported again and give equal vCons. Exits with 1 if an ID is not found.
    """
    from vcontract.runtime.vcon.formats import INDENTED, format_named

    chosen = [_checked(text) for text in uuids or ()]
    filters = _filters(
        filters_of(tag, party, since, until, event, repeat_within)
        | said_filters(said, not_said, said_by, said_within)
    )
    if chosen and filters.conditions():
        raise CommandFailed(
            "IDs cannot be combined with --tag, --party, --event, --said, --since or --until",
            cure="omit the IDs, or the filters",
            code=ExitCode.USAGE,
        )
    for option, is_given in (
        ("--pretty", pretty),
        ("--signed and --encrypt-for", is_secured := signed or encrypt_for is not None),
        ("--vcon-version", version is not None),
    ):
        if is_given and form != "jsonl":
            verb = "require" if " " in option else "requires"
            raise CommandFailed(
                f"{option} {verb} --format jsonl, not {form}",
                cure="leave out one of the two",
                code=ExitCode.USAGE,
            )
    if version is not None and is_secured:
        raise CommandFailed(
            "--vcon-version cannot be combined with --signed or --encrypt-for",
            cure="leave out one of the two",
            code=ExitCode.USAGE,
        )
    if pretty and not chosen:
        raise CommandFailed(
            "--pretty requires an ID",
            cure="name an ID, or omit --pretty",
            code=ExitCode.USAGE,
        )
    with opened(output) as file:
        written_as = INDENTED if pretty else format_named(form)
        settings = settings_of(context)
        secured = _Secured.by(settings, encrypt_for) if is_secured else None
        inferred = Counter[str]()
        shape = _shape(version, inferred)
        count = run(_export(settings, tenant, chosen, filters, file, written_as, secured or shape))
    for code, places in inferred.most_common():
        note(f"{code} in {counted(places, 'place')}")
    if output != "-":
        note(f"Wrote {counted(count, 'vCon')} to {output}")


def _checked(text: str) -> str:
    """Check that the text is an ID or a prefix of one. Raises: CommandFailed."""
    from vcontract.runtime.vcon.identity import MIN_DIGITS, digits_of, parse_uuid

    if parse_uuid(text) is None and digits_of(text) is None:
        raise CommandFailed(
            f"{text!r} is not a UUID",
            cure=f"write it in five groups of 8-4-4-4-12 digits, or at least its first {MIN_DIGITS} digits",
            code=ExitCode.USAGE,
        )
    return text


def _filters(given: "JsonObject") -> "Filters":
    """Filters of the store. Raises: CommandFailed."""
    from vcontract.runtime.store.search.search_params import InvalidQuery, read_filters

    try:
        return read_filters(given)
    except InvalidQuery as refused:
        raise CommandFailed(str(refused), code=ExitCode.USAGE) from None


async def _export(
    settings: "Settings",
    tenant: str,
    ids: list[str],
    filters: "Filters",
    file: BinaryIO,
    form: "Format",
    given: "_Secured | Shape",
) -> int:
    from vcontract.runtime.imports.export import NoSuchVcon, export_all, export_some
    from vcontract.runtime.store.search.filter_conditions import count_unknown
    from vcontract.runtime.store.vcons.store import VconStore

    conditions = filters.conditions()
    async with open_store(settings, tenant) as database:
        store = VconStore(database)
        uuids = [UUID(await full_id(database, tenant, id_)) for id_ in ids]
        await _note_export(database, tenant, len(uuids) or ("filtered" if conditions else "all"))
        shape = partial(given.document, database, store, tenant) if isinstance(given, _Secured) else given
        pieces = (
            export_some(store, tenant, uuids, form, shape)
            if uuids
            else export_all(store, tenant, form, shape=shape, matching=conditions)
        )
        async with database.reading(tenant) as connection:
            unknown = await count_unknown(connection, filters)
        for hint in hints_of({"said_unknown": unknown}):
            note(hint)
        try:
            return await _write(pieces, file, form)
        except NoSuchVcon as error:
            raise CommandFailed(
                f"conversation {error} not found in tenant {tenant!r}",
                cure="check the ID, or add --tenant NAME",
            ) from None


def _shape(version: str | None, inferred: Counter[str]) -> "Shape":
    """The document to write for a vCon; counts what another version of it infers or keeps aside."""
    from vcontract.runtime.imports.export import plain_document
    from vcontract.runtime.vcon.version_migration import migrate_version

    if version is None:
        return plain_document

    async def migrated(stored: "StoredVcon") -> "JsonObject":
        result = migrate_version(stored.document(), version)
        inferred.update(notice.code for notice in result.notices)
        return result.vcon

    return migrated


@dataclass(frozen=True, slots=True)
class _Secured:
    """Writes vCons in signed form, encrypted if there are recipients."""

    signer: "Signer | None"
    recipients: "tuple[PublicKey, ...]"

    @classmethod
    def by(cls, settings: "Settings", encrypt_for: Path | None) -> "_Secured":
        """Load the keys. Raises: CommandFailed if they are unusable."""
        from vcontract.runtime.vcon.trust.key_errors import UnusableKey
        from vcontract.runtime.vcon.trust.keyring import Keyring
        from vcontract.runtime.vcon.trust.keys import read_recipients

        try:
            recipients = () if encrypt_for is None else read_recipients(encrypt_for.read_text())
            return cls(Keyring.of(settings.keys, ()).signer, recipients)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandFailed(f"cannot read {encrypt_for}: {error}", code=ExitCode.USAGE) from None
        except UnusableKey as error:
            raise CommandFailed("the keys cannot be used", cause=str(error), code=ExitCode.USAGE) from None

    async def document(
        self, database: "Database", store: "VconStore", tenant: str, stored: "StoredVcon"
    ) -> "JsonObject":
        """Return the secured document of a vCon. Raises: CommandFailed."""
        from vcontract.runtime.frame.documents.json import parse_json
        from vcontract.runtime.vcon.trust.encryption import encrypt
        from vcontract.runtime.vcon.trust.key_errors import UnusableKey

        form: str | None = None
        if stored.signed:
            async with database.reading(tenant) as connection:
                form = await store.signed_form(connection, tenant, stored.uuid)
        document = stored.document() if form is None else parse_json(form)
        if not self.recipients:
            return document
        try:
            return encrypt(
                self._signed(stored, document) if form is None else document,
                str(stored.uuid),
                self.recipients,
            )
        except UnusableKey as error:
            raise CommandFailed("cannot encrypt", cause=str(error), code=ExitCode.USAGE) from None

    def _signed(self, stored: "StoredVcon", document: "JsonObject") -> "JsonObject":
        from vcontract.runtime.frame.documents.json import dump_json
        from vcontract.runtime.vcon.trust.signatures import sign

        if self.signer is None:
            raise CommandFailed(
                f"vCon {stored.uuid} must be signed before it is encrypted, and there is no signing key",
                cure="set VCONTRACT_SIGNING_KEY_FILE to a private key in PEM",
                code=ExitCode.USAGE,
            )
        return sign(dump_json(document), str(stored.uuid), self.signer)


async def _note_export(database: "Database", tenant: str, vcons: int | str) -> None:
    """Record the export in the audit before the first line, unless the database can only be read."""
    from vcontract.runtime.store.postgres.error_mapping import TakesNoWrites, writing_if_possible

    try:
        with writing_if_possible():
            async with database.writing(tenant) as connection:
                await record_command(connection, tenant, "export", {"vcons": vcons})
    except TakesNoWrites:
        note("This database takes no writes now, so the audit has no record of this export.")


async def _write(pieces: AsyncGenerator[bytes], file: BinaryIO, form: "Format") -> int:
    count = 0
    async with aclosing(pieces):
        _put(form.head, file)
        async for piece in pieces:
            _put(piece, file)
            count += 1
        _put(form.foot, file)
    return count


def _put(text: bytes, file: BinaryIO) -> None:
    if file is sys.stdout.buffer and is_read_by_a_person():
        text = plain(text.decode()).encode()
    try:
        file.write(text)
    except BrokenPipeError:  # the reader of our output has closed it
        _drop_output()
        raise typer.Exit(ExitCode.FAILED) from None
    except OSError as error:
        raise CommandFailed(f"cannot write: {error.strerror or error}", cure="free disk space") from None


def _drop_output() -> None:
    """Redirect stdout to nowhere, so that Python's final flush does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def opened(output: str) -> Generator[BinaryIO]:
    """Open the output. A named file appears when it is complete.

    Devices and named pipes are written directly, and links are followed. A new file is private; a replaced
    one keeps its permissions.
    """
    if output == "-":
        if sys.stdout is None:
            raise CommandFailed(
                "the standard output is closed", cure="name a file with --output", code=ExitCode.USAGE
            )
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    is_a_file = os.path.isfile(output) or not os.path.exists(output)
    path = Path(os.path.realpath(output) if is_a_file else output)
    part = path.with_name(f"{path.name}.part") if is_a_file else path
    try:
        with _created(part, compressed=path.suffix == ".gz") as file:
            yield file
        if is_a_file:
            part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)
            part.replace(path)
    except OSError as error:
        raise CommandFailed(
            f"cannot write {output}: {error.strerror or error}", cure="name another file", code=ExitCode.USAGE
        ) from None
    finally:
        if is_a_file:
            with suppress(OSError):
                part.unlink(missing_ok=True)


@contextmanager
def _created(path: Path, *, compressed: bool) -> Generator[BinaryIO]:
    import gzip

    with open(path, "wb", opener=partial(os.open, mode=0o600)) as file:
        if not compressed:
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)
