"""One state of the contract: what a release promised, what a branch holds, or what the spec says now."""

import io
import json
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final

from vcontract.codegen.documents import JsonObject
from vcontract.codegen.emit import contract as wire
from vcontract.codegen.emit import prompts, resources
from vcontract.codegen.emit.contract import CONTRACT_FILE, CONTRACT_FOLDER
from vcontract.codegen.model import Contract

ACCEPTANCES: Final = "spec/compat.yaml"
"""Where a state keeps the breaks that it accepts."""


_PARTS: Final = (CONTRACT_FOLDER, "resources", "prompts")
"""The folders of a state, in the order of its fields."""


class NoStateError(Exception):
    """There is no contract where one was asked for; the message says where and what to give instead."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is compared."""

    shared: JsonObject
    """contract.json: what holds for all tools."""
    tools: Mapping[str, JsonObject]
    """Name to contract/<name>.json."""
    resources: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """Name to resources/<name>.json."""
    prompts: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """Name to prompts/<name>.json."""
    acceptances: str = ""
    """The text of its spec/compat.yaml; empty when it has none."""

    @property
    def version(self) -> str:
        return str(self.shared["version"])


def state_of(contract: Contract) -> State:
    """The state that a resolved spec stands for."""
    files = (file for emitter in (wire, resources, prompts) for file in emitter.emit(contract))
    return _state({file.path: file.text for file in files}, "the spec")


def state_document(state: State) -> JsonObject:
    """A state as one document, as a release keeps it."""
    return {
        "shared": state.shared,
        "tools": dict(state.tools),
        "resources": dict(state.resources),
        "prompts": dict(state.prompts),
    }


def read_file(file: Path) -> State:
    """The state that a release kept. Raises: NoStateError."""
    document = _document(str(file.parent), file.name, file.read_text(encoding="utf-8"))
    try:
        return State(document["shared"], document["tools"], document["resources"], document["prompts"])
    except (KeyError, TypeError):
        raise NoStateError(f"{file} is no released contract; restore the file") from None


def read_folder(folder: Path) -> State:
    """The state in a folder that holds contract.json and contract/. Raises: NoStateError."""
    paths = [folder / CONTRACT_FILE, *(path for part in _PARTS for path in (folder / part).glob("*.json"))]
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.is_file()
    }
    return _state(texts, str(folder))


def read_ref(root: Path, ref: str) -> State:
    """The state of generated/ at a git ref of the repository at `root`. Raises: NoStateError."""
    if ref.startswith("-"):
        raise NoStateError(f"{ref!r} is no git ref")
    known = _git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if known is None:
        raise NoStateError(
            f"{ref!r} is neither a folder nor a git ref of {root}; give a folder with {CONTRACT_FILE} in it, "
            "or a ref that is fetched (git fetch origin main)"
        )
    commit = known.decode().strip()
    archive = _git(root, "archive", "--format=tar", commit, "generated/")
    texts = {} if archive is None else _texts_of(archive)
    accepted = _git(root, "show", f"{commit}:./{ACCEPTANCES}")
    state = _state(texts, f"generated/ at {ref}")
    return replace(state, acceptances="" if accepted is None else accepted.decode())


def _texts_of(archive: bytes) -> dict[str, str]:
    texts: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            content = members.extractfile(member)
            path = PurePosixPath(member.name)
            if content is not None and path.suffix == ".json":
                texts["/".join(path.parts[1:])] = content.read().decode()
    return texts


def _git(root: Path, *arguments: str) -> bytes | None:
    """What git says, or None when it fails."""
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - arguments are our own
    return done.stdout if done.returncode == 0 else None


def _state(texts: Mapping[str, str], where: str) -> State:
    if CONTRACT_FILE not in texts:
        raise NoStateError(f"{where} has no {CONTRACT_FILE}: there is no contract to compare with")
    parts: dict[str, dict[str, JsonObject]] = {part: {} for part in _PARTS}
    for path, text in sorted(texts.items()):
        part, _, name = path.partition("/")
        if part in parts and name:
            document = _document(where, path, text)
            parts[part][document["name"]] = document
    tools, resources, prompts = (parts[part] for part in _PARTS)
    return State(_document(where, CONTRACT_FILE, texts[CONTRACT_FILE]), tools, resources, prompts)


def _document(where: str, path: str, text: str) -> JsonObject:
    try:
        document: JsonObject = json.loads(text)
    except json.JSONDecodeError as error:
        raise NoStateError(
            f"{where}: {path}:{error.lineno} is no JSON: {error.msg}; restore the file"
        ) from error
    return document
