"""Check a client's query with PostgreSQL's own parser, against the allowlist."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.store.inspect.query_allowlist import FUNCTIONS, SYNTAX, TYPES

_Node: TypeAlias = Any
"""A protobuf message of the parse tree; members differ by kind."""

SCHEMA: Final = "vcontract"
_CATALOG: Final = "pg_catalog"

_REASONS: Final[Mapping[str, tuple[str, str]]] = {
    "IntoClause": ("into", "INTO makes a table"),
    "LockingClause": ("locking", "FOR UPDATE and FOR SHARE lock rows"),
    "ParamRef": ("parameter", "there are no values for parameters; write the value itself"),
    "InsertStmt": ("data_modifying", "INSERT changes data"),
    "UpdateStmt": ("data_modifying", "UPDATE changes data"),
    "DeleteStmt": ("data_modifying", "DELETE changes data"),
    "MergeStmt": ("data_modifying", "MERGE changes data"),
}
"""Node types with their own reason for rejection."""


class QueryRejected(ValueError):
    """The query is rejected. `name` is the offending name, `position` its first character, from 1."""

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        name: str | None = None,
        position: int | None = None,
        nearest: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.name = name
        self.position = position
        self.nearest = nearest
        """Similar allowed names."""


@dataclass(frozen=True, slots=True)
class Relations:
    """Tables and views of our schema: those that a query may read, and all."""

    allowed: Mapping[str, Sequence[str]]
    """With their columns."""
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class Names:
    """Names in an allowed query."""

    fields: frozenset[str]
    """Names after a point: in `x.name`, the name may be a column or a function call."""
    relations: frozenset[str]


def check_query(text: str, relations: Relations) -> Names:
    """Parse and check a query. Raises: QueryRejected."""
    return _Check(text, relations).names()


class _Check:
    """The check of one query."""

    def __init__(self, text: str, relations: Relations) -> None:
        self._text = text
        self._relations = relations
        self._defined: set[str] = set()
        self._fields: set[str] = set()
        self._read: set[str] = set()

    def names(self) -> Names:
        select = self._select()
        self._define(select)
        self._visit(select, 0)
        return Names(frozenset(self._fields), frozenset(self._read))

    def _select(self) -> _Node:
        """Return the only statement, which must be a SELECT."""
        import postgast  # imported here, because it takes a tenth of a second and is rarely needed
        from google.protobuf.message import DecodeError

        if "\0" in self._text or not self._is_unicode:
            raise QueryRejected("syntax", "The query has a character that no SQL text may have.")
        try:
            statements = postgast.parse(self._text).stmts
        except postgast.PgQueryError as error:
            raise QueryRejected(
                "syntax", f"The query is not SQL: {error.message}.", position=error.cursorpos or None
            ) from None
        except DecodeError:
            raise QueryRejected(
                "too_deep", "The query is nested too deeply; about forty levels are read."
            ) from None
        if not statements:
            raise QueryRejected("syntax", "The query is empty; send one SELECT.")
        if len(statements) > 1:
            raise QueryRejected(
                "multiple_statements",
                f"The query has {len(statements)} statements; send one SELECT.",
                position=self._position(statements[1].stmt_location),
            )
        kind = statements[0].stmt.WhichOneof("node") or ""
        if kind != "select_stmt":
            name = kind.removesuffix("_stmt").replace("_", " ").upper()
            raise QueryRejected(
                "not_select", f"Only a SELECT is analyzed, and the query is {name}.", name=name
            )
        return statements[0].stmt

    @cached_property
    def _is_unicode(self) -> bool:
        """Whether the text is valid Unicode, without unpaired surrogates."""
        return self._text == self._text.encode("utf-8", "replace").decode("utf-8")

    @cached_property
    def _bytes(self) -> bytes:
        return self._text.encode()

    def _position(self, location: int) -> int | None:
        """Convert a byte offset to a character position from 1; None for a node without location."""
        if location < 0:
            return None
        rest = self._bytes[location:]
        blanks = len(rest) - len(rest.lstrip())
        return len(self._bytes[: location + blanks].decode("utf-8", "ignore")) + 1

    def _define(self, node: _Node) -> None:
        """Record the names of WITH queries, which a query may read like tables."""
        for each in nodes_within(node):
            if each.DESCRIPTOR.name == "CommonTableExpr":
                if each.ctename.startswith("pg_"):
                    # outside its scope the name would refer to a system table
                    raise self._refusal(
                        "relation_not_allowed",
                        f"{each.ctename} is a name of the system; call it otherwise",
                        each.ctename,
                        each.location,
                    )
                self._defined.add(each.ctename)
            self._define(each)

    def _visit(self, node: _Node, location: int) -> None:
        """Reject any node that is not allowed, at or below this one.

        `location` is that of the nearest ancestor that has one.
        """
        kind = node.DESCRIPTOR.name
        own = getattr(node, "location", -1)
        location = own if own > 0 else location
        if kind in _REASONS:
            reason, why = _REASONS[kind]
            raise self._refusal(reason, why, None, location)
        if kind not in SYNTAX:
            raise self._refusal("not_allowed", f"{kind} is not allowed here", kind, location)
        if kind in _OPERATORS:
            self._check_operator(_strings(getattr(node, _OPERATORS[kind])), location)
        check = _CHECKS.get(kind)
        if check is not None:
            check(self, node, location)
        for inner in nodes_within(node):
            self._visit(inner, location)

    def check_relation(self, node: _Node, location: int) -> None:
        name: str = node.relname
        schema: str = node.schemaname
        if not schema and name in self._defined:
            return
        full = ".".join(part for part in (node.catalogname, schema, name) if part)
        ours = not node.catalogname and schema in ("", SCHEMA)
        if ours and name in self._relations.allowed:
            self._read.add(name)
            return
        if ours and name not in self._relations.known and not name.startswith("pg_"):
            allowed = sorted(self._relations.allowed)
            nearest = nearest_name(name, allowed)
            hint = f" (did you mean {nearest}?)" if nearest else f"; there are {', '.join(allowed)}"
            raise self._refusal("unknown_name", f"there is no table {full}{hint}", full, location)
        allowed_names = ", ".join(sorted(self._relations.allowed))
        raise self._refusal(
            "relation_not_allowed", f"{full} may not be read; these may: {allowed_names}", full, location
        )

    def check_call(self, node: _Node, location: int) -> None:
        parts = _strings(node.funcname)
        if not _is_builtin(parts, FUNCTIONS):
            name = ".".join(parts)
            raise self._refusal(
                "function_not_allowed", f"the function {name} is not on the list", name, location
            )

    def check_type(self, node: _Node, location: int) -> None:
        parts = _strings(node.names)
        if node.pct_type or node.setof or not _is_builtin(parts, TYPES):
            name = ".".join(parts)
            raise self._refusal("type_not_allowed", f"the type {name} is not on the list", name, location)

    def _check_operator(self, parts: list[str], location: int) -> None:
        if len(parts) > 1 and parts[0] != _CATALOG:
            name = ".".join(parts)
            raise self._refusal(
                "function_not_allowed", f"the operator {name} is not one of PostgreSQL's own", name, location
            )

    def note_fields(self, node: _Node, _: int) -> None:
        self._fields.update(_strings(node.fields)[1:])

    def note_indirection(self, node: _Node, _: int) -> None:
        self._fields.update(_strings(node.indirection))

    def _refusal(self, reason: str, why: str, name: str | None, location: int) -> QueryRejected:
        position = self._position(location)
        return QueryRejected(
            reason, f"The query is not analyzed: {why}.", name=name or None, position=position
        )


_OPERATORS: Final = {"A_Expr": "name", "SubLink": "oper_name", "SortBy": "use_op"}
"""Nodes that name an operator, and the member that does."""
_CHECKS: Final[Mapping[str, Callable[[_Check, _Node, int], None]]] = {
    "RangeVar": _Check.check_relation,
    "FuncCall": _Check.check_call,
    "TypeName": _Check.check_type,
    "ColumnRef": _Check.note_fields,
    "A_Indirection": _Check.note_indirection,
}


def nodes_within(node: _Node) -> Iterable[_Node]:
    """Return the direct children of a node."""
    for field, value in node.ListFields():
        if field.message_type is not None:
            yield from [value] if hasattr(value, "ListFields") else value


def _strings(nodes: Iterable[_Node]) -> list[str]:
    """Return the names in a list of nodes, such as `pg_catalog` and `lower`."""
    return [node.string.sval for node in nodes if node.WhichOneof("node") == "string"]


def _is_builtin(parts: list[str], allowed: frozenset[str]) -> bool:
    return parts[-1:] != [] and parts[-1] in allowed and parts[:-1] in ([], [_CATALOG])
