"""Empty copies of the tables, so that a plan on them reveals nothing about the stored rows.

The planner knows how often each value occurs in all tenants together. A plan that depends on it reveals what
other tenants have stored, by its numbers and by its choice of indexes.
"""

from typing import Any, Final, TypeAlias

from vcontract.runtime.store.inspect.query_check import SCHEMA, nodes_within

BLANK_SCHEMA: Final = "vcontract_blank"
_Node: TypeAlias = Any
"""A node of the parse tree, a protobuf message; each kind has other members."""


def on_blank_tables(query: str) -> str:
    """A query that passed the check, naming the blank schema wherever it named ours."""
    import postgast  # takes a tenth of a second, and few servers ever need it

    tree = postgast.parse(query)
    for statement in tree.stmts:
        _turn(statement.stmt)
    return postgast.deparse(tree)


def _turn(node: _Node) -> None:
    kind = node.DESCRIPTOR.name
    if kind == "RangeVar" and node.schemaname == SCHEMA:
        node.schemaname = BLANK_SCHEMA
    # with fewer parts the first is an alias or a table
    if kind == "ColumnRef" and len(node.fields) == 3 and node.fields[0].string.sval == SCHEMA:
        node.fields[0].string.sval = BLANK_SCHEMA
    for inner in nodes_within(node):
        _turn(inner)
