"""How many documents a file may have is bounded by its size on disk, whatever its format."""

import zipfile
from pathlib import Path

import pytest

from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import Problem, SourceFile
from vcontract.runtime.imports.streams import Limits

pytestmark = pytest.mark.unit

LIMITS = Limits(documents=50)
ONE = '{"some": "member of an object"}'
FILES: dict[str, list[tuple[str, str]]] = {
    "lines": [("calls.jsonl", f"{ONE}\n" * 20_000)],
    "array": [("calls.json", f"[{','.join([ONE] * 20_000)}]")],
    "one after another": [("calls.json", f"{ONE}\n\n" * 20_000)],
}


def source(path: Path) -> SourceFile:
    return SourceFile(path, path.name, path.stat().st_size)


@pytest.mark.parametrize("kind", FILES)
def test_a_small_file_of_endless_documents_is_left_and_the_next_one_is_read(
    tmp_path: Path, kind: str
) -> None:
    bomb, plain = tmp_path / "bomb.zip", tmp_path / "plain.jsonl"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in FILES[kind]:
            archive.writestr(name, text)
    plain.write_text(f"{ONE}\n" * 100, encoding="ascii")
    reader = Reader(LIMITS)

    *documents, last = reader.read(source(bomb))

    most = max(50, bomb.stat().st_size // 4)
    assert len(documents) == most < 20_000
    assert isinstance(last, Problem)
    assert last.rule == "too_many"
    assert f"more than {most:,} documents" in last.message
    assert reader.bytes_done == bomb.stat().st_size
    assert len([*reader.read(source(plain))]) == 100
