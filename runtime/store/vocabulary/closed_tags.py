"""Closed tag keys: the operator's file that lists the allowed values in filters."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.vcon.features import MAX_NAME_LENGTH
from vcontract.runtime.vcon.tags import tag_columns, tag_key_problem, tag_value_problem


class BadVocabulary(ValueError):
    """The file in VCONTRACT_VOCABULARY is invalid; the message says why."""


class DeclaredVocabulary:
    """Allowed values, as text, by tag key. Keys that are not listed are open."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self.values = {key: tuple(dict.fromkeys(listed)) for key, listed in values.items()}

    @classmethod
    def load(cls, path: Path | None) -> Self:
        """Read the file, in its order. Empty without a file.

        Raises: BadVocabulary.
        """
        if path is None:
            return cls({})
        from ruamel.yaml.error import YAMLError  # imported here, because few deployments have a file

        from vcontract.runtime.vcon.spec_files import read_yaml

        try:
            document: JsonValue = read_yaml(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadVocabulary(f"{path} cannot be read: {error.strerror}") from None
        except (UnicodeDecodeError, YAMLError) as error:
            raise BadVocabulary(f"{path} is not YAML: {str(error).splitlines()[0]}") from None
        tags: JsonValue = document.get("tags") if is_object(document) else None
        if not is_object(tags):
            raise BadVocabulary(
                f"{path} has no mapping `tags`, as in: tags: {{department: [sales, support]}}"
            )
        return cls({_key(key, path): _values(key, listed, path) for key, listed in tags.items()})

    def accepted(self, key: str) -> tuple[str, ...] | None:
        """Return the values of a closed key; None for an open one."""
        return self.values.get(key)


def _key(key: JsonValue, path: Path) -> str:
    problem = tag_key_problem(key) if isinstance(key, str) else f"A tag key is a string; {key!r} is none."
    if problem:
        raise BadVocabulary(f"{path}: {problem}")
    return str(key)


def _values(key: str, listed: JsonValue, path: Path) -> list[str]:
    if not is_array(listed) or not listed:
        raise BadVocabulary(f"{path}: {key} needs a list of one or more values")
    for value in listed:
        if problem := tag_value_problem(value):
            raise BadVocabulary(f"{path}: {key}: {problem}")
        if len(tag_columns(value)[0]) > MAX_NAME_LENGTH:
            raise BadVocabulary(f"{path}: {key} has a value of more than {MAX_NAME_LENGTH} characters")
    return [tag_columns(value)[0] for value in listed]
