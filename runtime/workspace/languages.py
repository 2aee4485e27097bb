"""Programming languages and package managers, recognized by file names."""

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.workspace.scan import name_of


@dataclass(frozen=True, slots=True)
class Language:
    """A language. Patterns match file names, or paths if they contain a slash."""

    manifests: tuple[str, ...]
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    runtimes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manager:
    """A package manager: its program and its lock files, if it has any."""

    program: str
    language: str
    locks: tuple[str, ...]


LANGUAGES: Final[Mapping[str, Language]] = {
    "python": Language(
        ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"),
        (".py",),
        ("test_*.py", "*_test.py", "tests/*.py", "tests/**.py", "test/*.py"),
        ("python3", "python"),
    ),
    "node": Language(
        ("package.json",),
        (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx"),
        ("*.test.*", "*.spec.*", "__tests__/*", "**/__tests__/*", "test/*.js", "test/*.ts"),
        ("node", "bun", "deno"),
    ),
    "rust": Language(
        ("Cargo.toml",), (".rs",), ("tests/*.rs", "**/tests/*.rs", "*_test.rs", "tests.rs"), ("cargo",)
    ),
    "go": Language(("go.mod",), (".go",), ("*_test.go",), ("go",)),
    "java": Language(
        ("pom.xml", "build.gradle", "build.gradle.kts"),
        (".java", ".kt"),
        ("*Test.java", "*Tests.java", "*Test.kt", "src/test/*", "**/src/test/*"),
        ("java",),
    ),
    "ruby": Language(("Gemfile", "*.gemspec"), (".rb",), ("*_spec.rb", "*_test.rb", "test_*.rb"), ("ruby",)),
    "php": Language(("composer.json",), (".php",), ("*Test.php",), ("php",)),
    "dotnet": Language(
        ("*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx"),
        (".cs", ".fs", ".vb"),
        ("*Test.cs", "*Tests.cs", "*Tests.fs", "*.Tests/*"),
        ("dotnet",),
    ),
}

# The first existing lock file decides; then the manifest.
MANAGERS: Final[tuple[Manager, ...]] = (
    Manager("uv", "python", ("uv.lock",)),
    Manager("poetry", "python", ("poetry.lock",)),
    Manager("pdm", "python", ("pdm.lock",)),
    Manager("pipenv", "python", ("Pipfile.lock",)),
    Manager("pip", "python", ("pylock.toml", "requirements.lock", "requirements.txt")),
    Manager("pnpm", "node", ("pnpm-lock.yaml",)),
    Manager("yarn", "node", ("yarn.lock",)),
    Manager("bun", "node", ("bun.lock", "bun.lockb")),
    Manager("npm", "node", ("package-lock.json", "npm-shrinkwrap.json")),
    Manager("cargo", "rust", ("Cargo.lock",)),
    Manager("go", "go", ("go.sum",)),
    Manager("bundle", "ruby", ("Gemfile.lock",)),
    Manager("composer", "php", ("composer.lock",)),
    Manager("mvn", "java", ()),
    Manager("gradle", "java", ()),
    Manager("dotnet", "dotnet", ()),
)
BY_PROGRAM: Final = {manager.program: manager for manager in MANAGERS}
USUAL: Final = {
    "python": "pip",
    "node": "npm",
    "rust": "cargo",
    "go": "go",
    "ruby": "bundle",
    "php": "composer",
    "dotnet": "dotnet",
}


def language_of_manifest(path: str) -> str | None:
    """Return the language of a manifest file."""
    name = name_of(path)
    for language, known in LANGUAGES.items():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in known.manifests):
            return language
    return None


def is_test(path: str, language: str) -> bool:
    """Whether a file looks like a test of the language."""
    name = name_of(path)
    return any(
        fnmatch.fnmatchcase(path if "/" in pattern else name, pattern)
        for pattern in LANGUAGES[language].tests
    )
