"""`vcontract convert`: write vCons in another version of the syntax."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from vcontract.runtime.cli.console import counted, note
from vcontract.runtime.cli.exporting import Output, opened
from vcontract.runtime.cli.failures import ExitCode
from vcontract.runtime.cli.importing import decryption_keys, find, split_transcripts
from vcontract.runtime.cli.invocation import settings_of

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.imports.converting import Converted, Converter
    from vcontract.runtime.imports.preparing import Rejected
    from vcontract.runtime.imports.sources import Sources
    from vcontract.runtime.settings import Settings


def convert(
    context: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Files, folders (read recursively) and patterns; - is standard input.",
            show_default=False,
        ),
    ] = [],  # noqa: B006  (typer wants a list)
    version: Annotated[
        Literal["0.4.0", "0.5.0"] | None,
        typer.Option(
            "--to",
            metavar="VERSION",
            help="0.4.0 or 0.5.0. Default: VCONTRACT_VCON_VERSION.",
            show_default=False,
        ),
    ] = None,
    output: Output = "-",
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what was inferred, moved or kept aside to this file, one JSON object per line.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write vCons in another version of the syntax, as JSON Lines.

    Transfers and party_history become sessions and events, and back. Members without a place in a version
    are kept in kept_from. Needs no database.

    Exits with 1 if a document was refused, 2 if a PATH does not exist.
    """
    settings = settings_of(context)
    sources = find(paths)
    tally = _Tally(version or settings.vcon_version)
    with ExitStack() as closing:
        reported = None if report is None else closing.enter_context(opened(str(report)))
        _convert(sources, settings, tally, closing.enter_context(opened(output)), reported)
    tally.print()
    for file in sources.ignored:
        note(f"not read: {file.name}")
    if tally.refused or not tally.converted:
        raise typer.Exit(ExitCode.FAILED)


@dataclass(slots=True)
class _Tally:
    """Counts of converted vCons and of their notices."""

    version: str
    converted: int = 0
    valid: int = 0
    refused: int = 0
    silent: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    firsts: dict[str, str] = field(default_factory=dict[str, str])
    """Place and reason of the first notice of each kind."""

    def print(self) -> None:
        """Print the totals on stderr."""
        note(f"Converted {counted(self.converted, 'vCon')} to {self.version}")
        if self.refused:
            note(f"  refused  {self.refused:,}")
        if self.silent:
            note(f"  no turns  {self.silent:,}")
        for kind, count in self.kinds.most_common():
            note(f"  {count:,} {kind}, first in {self.firsts[kind]}")
        if self.converted:
            note(f"{self.valid:,} of {self.converted:,} conform to {self.version}")


def _convert(
    sources: "Sources", settings: "Settings", tally: _Tally, file: BinaryIO, reported: BinaryIO | None
) -> None:
    from vcontract.runtime.frame.documents.json import dump_json
    from vcontract.runtime.imports.converting import Converted, Converter
    from vcontract.runtime.imports.preparing import Rejected, decrypting

    keys = decryption_keys(settings)
    converter = Converter(tally.version, None if keys is None else decrypting(keys))
    for result in _results(sources, converter):
        if isinstance(result, Rejected):
            tally.refused += 1
            for problem in result.problems:
                note(f"refused: {problem}")
                _report(reported, problem.as_json())
        elif isinstance(result, Converted):
            file.write(dump_json(result.vcon) + b"\n")
            _count(result, tally, reported)
        else:
            tally.silent += 1


def _results(sources: "Sources", converter: "Converter") -> "Iterator[Converted | Rejected | object]":
    """Convert the documents one after another; only one is in memory."""
    from datetime import UTC, datetime

    from vcontract.runtime.imports.preparing import Rejected
    from vcontract.runtime.imports.reader import Reader
    from vcontract.runtime.imports.sources import Origin, Problem

    vcons, transcripts = split_transcripts(sources)
    for path in transcripts:
        message = "is an agent session; import it first, then export it"
        yield Rejected((Problem(Origin(str(path)), "agent_session", message),))
    reader = Reader()
    for file in vcons.files:
        for reading in reader.read(file):
            yield converter.convert(reading, datetime.now(UTC))


def _count(result: "Converted", tally: _Tally, reported: BinaryIO | None) -> None:
    tally.converted += 1
    tally.valid += result.is_valid
    uuid = result.vcon.get("uuid")
    for each in result.notices:
        tally.kinds[each.code] += 1
        where = f"{result.origin}" + (f" at {each.path}" if each.path else "")
        tally.firsts.setdefault(each.code, f"{where}: {each.message}")
        place: JsonObject = {"file": result.origin.name, "uuid": uuid, "path": each.path or "$"}
        _report(reported, {**place, "code": each.code, "message": each.message})


def _report(reported: BinaryIO | None, entry: "JsonObject") -> None:
    if reported is not None:
        from vcontract.runtime.frame.documents.json import dump_json

        reported.write(dump_json(entry) + b"\n")
