"""Convert documents to a version of the vCon syntax, without a store."""

from dataclasses import dataclass
from datetime import datetime

from vcontract.runtime.frame.documents.findings import Notice
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.preparing import Rejected, read_document, rejected
from vcontract.runtime.imports.reader import Reading
from vcontract.runtime.imports.sources import Origin, Problem, RawDocument, Silent
from vcontract.runtime.store.vcons.preparation import VconRefused
from vcontract.runtime.vcon.conformance import VconSchemas, blocking_violations
from vcontract.runtime.vcon.legacy import LegacyNames
from vcontract.runtime.vcon.version_migration import migrate_version
from vcontract.runtime.vcon.wrapped_forms import Decrypt


@dataclass(frozen=True, slots=True)
class Converted:
    """A vCon in the version asked for, and everything that differs from the document."""

    origin: Origin
    vcon: JsonObject
    notices: tuple[Notice, ...]
    is_valid: bool
    """Whether it conforms to the schema of its version."""


class Converter:
    """Converts documents to one version of the syntax."""

    def __init__(self, version: str, decrypt: Decrypt | None = None) -> None:
        self._version = version
        self._decrypt = decrypt
        self._legacy = LegacyNames.load()
        self._schemas = VconSchemas.load()

    def convert(self, raw: Reading, now: datetime) -> Converted | Silent | Rejected:
        """Convert one document. Raises no error that the document causes."""
        plain = read_document(raw, now, self._decrypt, self._version)
        if isinstance(plain, Silent | Rejected):
            return plain
        assert isinstance(raw, RawDocument)
        if plain.signed_form is not None:
            message = "The vCon is signed, and the signature holds for its version only."
            return Rejected((Problem(raw.origin, "signed", message),))
        if violations := blocking_violations(plain.vcon):
            return rejected(raw.origin, VconRefused(violations))
        try:
            vcon, renames = self._legacy.translate(plain.vcon)
            migrated = migrate_version(vcon, self._version)
            is_valid = self._schemas.check(migrated.vcon).valid
        except Exception as error:  # no document may stop the others
            return rejected(raw.origin, error)
        renamed = [
            Notice("legacy_name", f"{each.old} is written as {each.new}.", each.path) for each in renames
        ]
        notices = (*plain.notices, *renamed, *migrated.notices)
        return Converted(raw.origin, migrated.vcon, notices, is_valid)
