"""Arrange search results as trees: each record under the one created first that contains it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vcontract.handlers.bridge.layout import Group, Shown, record_snippet
from vcontract.runtime.store.bridge.records import Composed, Record
from vcontract.runtime.store.bridge.search import BridgeMatch

STANDALONE: Final = "standalone"


@dataclass(frozen=True, slots=True)
class Tree:
    """Matches below one root, in search order; the root may be one of them."""

    root: str | None
    """None for sources without a container."""
    rows: list[BridgeMatch]


def trees_of(rows: Sequence[BridgeMatch], containers: Mapping[str, str]) -> list[Tree]:
    """Group matches by root: the best match's tree first, single records last."""
    trees: dict[str, Tree] = {}
    for row in rows:
        root = _path(row.id, containers)[0]
        trees.setdefault(root, Tree(root, [])).rows.append(row)
    joined: list[Tree] = []
    alone: list[BridgeMatch] = []
    for tree in trees.values():
        if len(tree.rows) == 1 and tree.rows[0].id == tree.root and tree.rows[0].type == "source":
            alone += tree.rows
        else:
            joined.append(tree)
    return [*joined, Tree(None, alone)] if alone else joined


def tree_group(
    tree: Tree, shown: Mapping[str, Shown], records: Mapping[str, Record], containers: Mapping[str, str]
) -> Group:
    """Convert a tree to a result group, children directly below their container."""
    rows = [row.id for row in tree.rows if row.id in shown]
    if tree.root is None:
        return Group(STANDALONE, STANDALONE, len(tree.rows), [shown[id_] for id_ in rows])
    place = {id_: number for number, id_ in enumerate(rows)}
    ordered = sorted(rows, key=lambda id_: _sorting(_path(id_, containers), place))
    return Group(
        tree.root,
        f"{_named(records[tree.root])} [{tree.root}]",
        len(tree.rows),
        [replace(shown[id_], level=len(_path(id_, containers)) - 1) for id_ in ordered],
    )


def _path(id_: str, containers: Mapping[str, str]) -> list[str]:
    """IDs from the root down to a record."""
    path = [id_]
    while path[-1] in containers and containers[path[-1]] not in path:
        path.append(containers[path[-1]])
    return path[::-1]


def _sorting(path: Sequence[str], place: Mapping[str, int]) -> list[tuple[int, str]]:
    """Sort key: after its container and before the container's next sibling; siblings in search order."""
    last = len(place)
    return [(place.get(id_, last), id_) for id_ in path]


def _named(record: Record) -> str:
    if isinstance(record, Composed):
        return " ".join(f"{record.emoji} {record.summary}".split())
    return record_snippet(record)
