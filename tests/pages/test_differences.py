"""Edits of an agent's tools as differences of files."""

import pytest

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.pages.differences import Comparing

PATCH = """*** Begin Patch
*** Update File: a.py
@@ def f():
 one
-two
+2
*** Add File: b.py
+new
*** End Patch"""
OLD, NEW = "a\nb\nc\nd\ne\nf", "a\nb\nc\nD\nd2\ne\nf"


def shown_changes(given: JsonValue) -> list[str]:
    return [
        "\n".join([each.path, *(f"{line.mark}{line.text}" for line in each.lines)])
        for each in Comparing().differences(given)
    ]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"file_path": "x", "old_string": OLD, "new_string": NEW}, ["x\n a\n b\n c\n-d\n+D\n+d2\n e\n f"]),
        ({"path": "x", "old_str": "a", "new_str": ""}, ["x\n-a"]),
        ({"file_path": "x", "content": "a\nb"}, ["x\n+a\n+b"]),
        (
            {
                "file_path": "x",
                "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}],
            },
            ["x\n-a\n+b\n+c"],
        ),
        (PATCH, ["a.py\n@@@ def f():\n one\n-two\n+2", "b.py\n+new"]),
        ({"command": ["apply_patch", PATCH]}, ["a.py\n@@@ def f():\n one\n-two\n+2", "b.py\n+new"]),
        ({"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}, ["a.py\n@@@ def f():\n one\n-two\n+2", "b.py\n+new"]),
        ({"pattern": "x", "path": "src"}, []),
        ({"file_path": 7, "old_string": "a", "new_string": "b"}, []),
        ("ls", []),
        (None, []),
    ],
    ids=[
        *(
            "edit",
            "removal",
            "whole file",
            "several edits",
            "patch",
            "patch as a command",
            "patch in a shell",
        ),
        *("search", "no path", "text", "nothing"),
    ],
)
def test_a_call_that_edits_is_a_difference(given: JsonValue, shown: list[str]) -> None:
    assert shown_changes(given) == shown


def test_what_is_too_long_is_cut_and_what_is_too_much_to_compare_is_not_matched() -> None:
    old, new = "\n".join(f"a{n}\nsame" for n in range(900)), "\n".join(f"b{n}\nsame" for n in range(900))
    (difference,) = Comparing().differences({"file_path": "x", "old_string": old, "new_string": new})
    assert (len(difference.lines), difference.is_cut) == (400, True)
    assert {line.mark for line in difference.lines} == {"-"}
