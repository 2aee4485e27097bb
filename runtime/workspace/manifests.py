"""Read project manifests (pyproject.toml, package.json …): language, package manager, dependencies."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.workspace.confinement import Confinement
from vcontract.runtime.workspace.languages import (
    BY_PROGRAM,
    LANGUAGES,
    MANAGERS,
    USUAL,
    Manager,
    language_of_manifest,
)
from vcontract.runtime.workspace.scan import Scan, name_of


@dataclass(frozen=True, slots=True)
class Manifests:
    """Facts from a project's manifests."""

    kind: str
    """Language of the root's manifests, `mixed`, or `unknown`."""
    languages: tuple[str, ...]
    """By manifests, then by source files."""
    files: tuple[str, ...]
    managers: tuple[Manager, ...]
    unreadable: tuple[str, ...]
    """Manifests of the root with syntax errors."""
    has_dependencies: bool
    has_license: bool
    """Whether a manifest names a licence."""
    local_paths: tuple[str, ...]
    """Folders that are path dependencies, as the manifests write them."""


def read_manifests(scan: Scan) -> Manifests:
    """Read the manifests of a scanned project. Those of its root take precedence."""
    files = [path for path in scan.files if language_of_manifest(path)]
    top = [path for path in files if "/" not in path]
    deciding = top or files
    kinds = list(dict.fromkeys(filter(None, map(language_of_manifest, deciding))))
    sources = {
        language
        for path in scan.files
        for language, known in LANGUAGES.items()
        if name_of(path).endswith(known.sources)
    }
    documents = {path: _parsed(scan, path) for path in deciding}
    facts = [_FACTS[language](of_language) for language, of_language in _by_language(documents)]
    return Manifests(
        kind=kinds[0] if len(kinds) == 1 else "mixed" if kinds else "unknown",
        languages=tuple(dict.fromkeys([*kinds, *sorted(sources)])),
        files=tuple(files),
        managers=_managers(scan.top(), kinds, documents),
        unreadable=tuple(path for path, document in documents.items() if document is None),
        has_dependencies=any(fact.dependencies for fact in facts),
        has_license=any(fact.license for fact in facts),
        local_paths=tuple(dict.fromkeys(path for fact in facts for path in fact.paths)) if top else (),
    )


Document = JsonObject | str
"""A parsed manifest: an object, or text if its format has no parser here."""


@dataclass(frozen=True, slots=True)
class _Facts:
    dependencies: bool = False
    license: bool = False
    paths: tuple[str, ...] = ()


def _by_language(documents: Mapping[str, Document | None]) -> list[tuple[str, dict[str, Document]]]:
    found: dict[str, dict[str, Document]] = {}
    for path, document in documents.items():
        language = language_of_manifest(path)
        if language is not None and document is not None:
            found.setdefault(language, {})[name_of(path)] = document
    return list(found.items())


def _parsed(scan: Scan, path: str) -> Document | None:
    """Parse a manifest; None if it has syntax errors."""
    text = scan.text(path)
    if text is None or not text.strip():
        return None
    name = name_of(path)
    if name.endswith(".toml") or name == "Pipfile":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return None
    if name.endswith(".json"):
        try:
            value = parse_json(text)
        except MalformedJson:
            return None
        return value if is_object(value) else None
    needed = {"go.mod": r"(?m)^module\s+\S", "pom.xml": r"<project[\s>]"}.get(name)
    if needed is None and name.endswith("proj"):
        needed = r"<Project[\s>]"
    return text if needed is None or re.search(needed, text) else None


def _managers(
    top: Sequence[str], kinds: Sequence[str], documents: Mapping[str, Document | None]
) -> tuple[Manager, ...]:
    """Return one manager per language: by lock file, by the manifest, or the usual one."""
    found: list[Manager] = []
    for kind in kinds:
        of_kind = [manager for manager in MANAGERS if manager.language == kind]
        locked = [manager for manager in of_kind if any(lock in top for lock in manager.locks)]
        named = _named_manager(kind, documents)
        if named is not None and (not locked or locked[0].program == "pip"):
            locked = [named]
        usual = USUAL.get(kind) or ("mvn" if "pom.xml" in top else "gradle")
        found.append(locked[0] if locked else BY_PROGRAM[usual])
    return tuple(found)


def _named_manager(kind: str, documents: Mapping[str, Document | None]) -> Manager | None:
    if kind == "python":
        tools = _member(documents.get("pyproject.toml"), "tool")
        for program in ("uv", "poetry", "pdm"):
            if program in tools:
                return BY_PROGRAM[program]
        return BY_PROGRAM["pipenv"] if documents.get("Pipfile") else None
    if kind == "node":
        package = documents.get("package.json")
        wanted = package.get("packageManager") if is_object(package) else None
        return BY_PROGRAM.get(wanted.partition("@")[0]) if isinstance(wanted, str) else None
    return None


def _member(document: JsonValue, *names: str) -> JsonObject:
    """Return an object inside a document; empty if it is missing."""
    for name in names:
        document = document.get(name) if is_object(document) else None
    return document if is_object(document) else {}


def _python(documents: Mapping[str, Document]) -> _Facts:
    project = _member(documents.get("pyproject.toml"), "project")
    poetry = _member(documents.get("pyproject.toml"), "tool", "poetry")
    uv_sources = _member(documents.get("pyproject.toml"), "tool", "uv", "sources")
    needed = set(_member(poetry, "dependencies")) - {"python"}
    pipfile = _member(documents.get("Pipfile"), "packages")
    text = documents.get("requirements.txt")
    lines = text.splitlines() if isinstance(text, str) else []
    paths = [_path_of(table) for table in (*_member(poetry, "dependencies").values(), *uv_sources.values())]
    paths += [_path_of(table) for table in pipfile.values()]
    paths += [line.split()[-1] for line in lines if re.match(r"(-e\s+)?\.{0,2}/\S+\s*$", line.strip())]
    return _Facts(
        bool(project.get("dependencies") or project.get("optional-dependencies") or needed or pipfile),
        bool(project.get("license") or project.get("license-files") or poetry.get("license")),
        tuple(filter(None, paths)),
    )


def _node(documents: Mapping[str, Document]) -> _Facts:
    package = _member({"it": documents.get("package.json")}, "it")
    needed = {**_member(package, "dependencies"), **_member(package, "devDependencies")}
    paths = [re.sub(r"^(file|link|portal):", "", str(version)) for version in needed.values()]
    local = [path for path, version in zip(paths, needed.values(), strict=True) if path != version]
    return _Facts(bool(needed), bool(package.get("license")), tuple(local))


def _rust(documents: Mapping[str, Document]) -> _Facts:
    cargo = _member({"it": documents.get("Cargo.toml")}, "it")
    needed = {**_member(cargo, "dependencies"), **_member(cargo, "dev-dependencies")}
    package = _member(cargo, "package")
    paths = tuple(filter(None, map(_path_of, needed.values())))
    return _Facts(bool(needed), bool(package.get("license") or package.get("license-file")), paths)


def _go(documents: Mapping[str, Document]) -> _Facts:
    text = str(documents.get("go.mod", ""))
    local = re.findall(r"=>\s*(\.{1,2}/\S+)", text)
    return _Facts(bool(re.search(r"(?m)^require\b", text)), False, tuple(local))


def _ruby(documents: Mapping[str, Document]) -> _Facts:
    text = "\n".join(str(document) for document in documents.values())
    local = re.findall(r"""\bpath:\s*["']([^"']+)["']""", text)
    needed = re.search(r"(?m)^\s*gem\s|add_(?:runtime_)?dependency", text)
    return _Facts(bool(needed), bool(re.search(r"\.licenses?\s*=", text)), tuple(local))


def _php(documents: Mapping[str, Document]) -> _Facts:
    composer = _member({"it": documents.get("composer.json")}, "it")
    needed = [name for name in _member(composer, "require") if name != "php"]
    repositories = composer.get("repositories")
    listed = repositories if is_array(repositories) else []
    local = [
        str(entry.get("url", "")) for entry in listed if is_object(entry) and entry.get("type") == "path"
    ]
    return _Facts(bool(needed), bool(composer.get("license")), tuple(filter(None, local)))


def _nothing(documents: Mapping[str, Document]) -> _Facts:
    return _Facts(bool(documents))


_FACTS: Final[Mapping[str, Callable[[Mapping[str, Document]], _Facts]]] = {
    "python": _python,
    "node": _node,
    "rust": _rust,
    "go": _go,
    "ruby": _ruby,
    "php": _php,
    "java": _nothing,
    "dotnet": _nothing,
}


def _path_of(dependency: JsonValue) -> str | None:
    path = dependency.get("path") if is_object(dependency) else None
    return path if isinstance(path, str) else None


def local_dependencies(root: Path, manifests: Manifests, confinement: Confinement) -> list[Path]:
    """Resolve path dependencies, links included. Only folders in an allowed root are returned."""
    found = [
        Path(os.path.realpath(root / path)) for path in manifests.local_paths if path and "\0" not in path
    ]
    allowed = [path for path in dict.fromkeys(found) if confinement.allows(path) and path != root]
    return [path for path in allowed if path.is_dir()]
