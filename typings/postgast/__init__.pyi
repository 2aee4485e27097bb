"""The part of postgast that is used; its own stubs name a member `None`, which type checkers cannot read."""

from collections.abc import Sequence

from google.protobuf.message import Message

class PgQueryError(Exception):
    message: str
    cursorpos: int

class _Node(Message): ...

class _Statement(Message):
    stmt: _Node
    stmt_location: int

class _ParseResult(Message):
    stmts: Sequence[_Statement]

def parse(sql: str) -> _ParseResult: ...
def deparse(tree: _ParseResult) -> str: ...
