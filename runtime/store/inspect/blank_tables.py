"""Plan queries on empty copies of the tables, so that a plan reveals nothing about stored rows.

The planner's statistics cover all tenants. A plan based on them reveals other tenants' data by its numbers
and its choice of indexes.
"""

from typing import Any, Final, TypeAlias

from vcontract.runtime.store.inspect.query_check import SCHEMA, nodes_within

BLANK_SCHEMA: Final = "vcontract_blank"
_Node: TypeAlias = Any
"""A protobuf message of the parse tree; members differ by kind."""


def on_blank_tables(query: str) -> str:
    """Put the schema of the empty tables in place of ours in a checked query."""
    import postgast  # imported here, because it takes a tenth of a second and is rarely needed

    tree = postgast.parse(query)
    for statement in tree.stmts:
        _turn(statement.stmt)
    return postgast.deparse(tree)


def _turn(node: _Node) -> None:
    kind = node.DESCRIPTOR.name
    if kind == "RangeVar" and node.schemaname == SCHEMA:
        node.schemaname = BLANK_SCHEMA
    # with fewer parts, the first is an alias or a table
    if kind == "ColumnRef" and len(node.fields) == 3 and node.fields[0].string.sval == SCHEMA:
        node.fields[0].string.sval = BLANK_SCHEMA
    for inner in nodes_within(node):
        _turn(inner)
