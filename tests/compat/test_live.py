"""Twenty witnesses are sent to a server of the old contract and to one of the new."""

from pathlib import Path

from ruamel.yaml import YAML

from tests.compat.mutations import Mutation, mutations
from tests.edited_package import copy_package, served
from vcontract.codegen.compat.compare import compare
from vcontract.codegen.documents import JsonObject
from vcontract.codegen.generate import generate_files
from vcontract.codegen.load import Spec, load_spec
from vcontract.codegen.output import write
from vcontract.codegen.surface import surface_of

ROOT = Path(__file__).parents[2]
EDITS = [mutation.edits for mutation in mutations("mutations_live.txt")]


def witnesses(spec: Spec) -> list[tuple[str, JsonObject]]:
    before = surface_of(spec)
    found: list[tuple[str, JsonObject]] = []
    for edit in EDITS:
        breaks = [
            one for one in compare(before, surface_of(Mutation("ERR", edit).of(spec))) if one.level == "ERR"
        ]
        assert breaks, edit
        assert breaks[0].witness, edit
        found.append((edit, breaks[0].witness))
    return found


def save(spec: Spec, changed: Spec, package: Path) -> None:
    """Write the files of the spec that changed, and what is generated from all."""
    for path, document in changed.documents.items():
        if document.data != spec.documents[path].data:
            with (package / path).open("w", encoding="utf-8") as file:
                YAML(typ="safe", pure=True).dump(document.data, file)  # pyright: ignore[reportUnknownMemberType]
    write(generate_files(changed), package / "generated")


async def test_twenty_calls_are_accepted_by_the_old_contract_and_refused_by_the_new(
    tmp_path: Path, database_url: str
) -> None:
    spec = load_spec(ROOT)
    calls = witnesses(spec)
    changed = spec
    for edit in EDITS:
        changed = Mutation("ERR", edit).of(changed)
    old, new = tmp_path / "old", tmp_path / "new"
    copy_package(old)
    save(spec, changed, copy_package(new))

    refused: dict[Path, list[bool]] = {}
    for root in (old, new):
        async with served(root, database_url) as wire:
            refused[root] = []
            for _, witness in calls:
                answer = await wire.request("tools/call", witness)
                content = answer["result"]["structuredContent"]
                error = content.get("error_code") or content.get("error", {}).get("code")
                refused[root].append(error in ("VALIDATION_ERROR", "INVALID_ARGUMENT"))

    assert len(calls) >= 20
    assert [edit for (edit, _), was in zip(calls, refused[old], strict=True) if was] == []
    assert [edit for (edit, _), is_now in zip(calls, refused[new], strict=True) if not is_now] == []
