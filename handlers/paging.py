"""Pages by cursor: where a page starts, and the cursor of the page after it."""

from dataclasses import dataclass

from pydantic import MISSING

from vcontract.generated.errors import CursorInvalid
from vcontract.runtime.frame.calls.cursor import CursorCodec, CursorRejected
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages of one query of one tenant.

    A cursor opens only with the same arguments: all those that affect which results there are, and their
    order. Results that depend on an embedding model are bound to it, too.
    """

    codec: CursorCodec
    tool: str
    tenant: str
    arguments: JsonObject
    model: str | None = None

    def start(self, cursor: str | MISSING) -> JsonValue:
        """Position at which the page starts; None for the first one. Raises: CursorInvalid."""
        if cursor is MISSING:
            return None
        try:
            return self.codec.open(
                cursor, purpose=self.tool, tenant=self.tenant, arguments=self.arguments, model=self.model
            )
        except CursorRejected as rejected:
            changed = list(rejected.changed)
            differ = "differs" if len(changed) == 1 else "differ"
            what = f" {', '.join(changed)} {differ} from the first page." if changed else ""
            raise CursorInvalid(
                f"This cursor does not belong to this search.{what} Repeat the search without a cursor.",
                details={"reason": rejected.reason, **({"changed": changed} if changed else {})},
            ) from None

    def cursor_after(self, position: JsonValue) -> str | None:
        """Cursor of the page after `position`; None if no page follows, and the position is None."""
        if position is None:
            return None
        return self.codec.seal(
            position, purpose=self.tool, tenant=self.tenant, arguments=self.arguments, model=self.model
        )
