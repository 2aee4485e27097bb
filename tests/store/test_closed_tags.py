"""The declared vocabulary: what its file may hold, and how a file that cannot be used is refused."""

from pathlib import Path

import pytest

from vcontract.runtime.store.vocabulary.closed_tags import BadVocabulary, DeclaredVocabulary


def written(folder: Path, text: str) -> Path:
    path = folder / "vocabulary.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_values_are_text_in_the_order_of_the_file(tmp_path: Path) -> None:
    declared = DeclaredVocabulary.load(written(tmp_path, "tags: {team: [b, a, b], level: [2, 1.0, true]}"))

    assert declared.accepted("team") == ("b", "a")
    assert declared.accepted("level") == ("2", "1", "true")
    assert declared.accepted("other") is None


def test_without_a_file_every_key_is_open() -> None:
    assert DeclaredVocabulary.load(None).values == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no mapping `tags`"),
        ("[1]", "has no mapping `tags`"),
        ("tags: [a]", "has no mapping `tags`"),
        ("tags: {a: [", "is not YAML"),
        ("tags: {a: b}", "a needs a list of one or more values"),
        ("tags: {a: []}", "a needs a list of one or more values"),
        ("tags: {a: [{}]}", "a: A tag value is a string, a number or a boolean."),
        ("tags: {'a:b': [c]}", "A tag key has no colon"),
        ("tags: {1: [c]}", "A tag key is a string; 1 is none."),
        (f"tags: {{a: [{'x' * 256}]}}", "more than 255 characters"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_fault(
    text: str, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text)

    with pytest.raises(BadVocabulary) as refused:
        DeclaredVocabulary.load(path)

    assert str(path) in str(refused.value)
    assert message in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadVocabulary, match=r"none\.yaml cannot be read: No such file"):
        DeclaredVocabulary.load(tmp_path / "none.yaml")
