"""URIs of resources: the template that fits, and what its variables say."""

import pytest

from vcontract.runtime.frame.calls.uris import UriSpace, UriTemplate

TEMPLATES = (
    "v://1/things/{id}",
    "v://1/things/{id}/parts",
    "v://1/things/recent",
    "v://1/things/recent/{limit}",
    "v://1/things/{id}/parts/{part}",
)


@pytest.fixture
def space() -> UriSpace:
    return UriSpace(UriTemplate(text, str(number)) for number, text in enumerate(TEMPLATES))


@pytest.mark.parametrize(
    ("uri", "template", "values"),
    [
        ("v://1/things/7", "v://1/things/{id}", {"id": "7"}),
        ("v://1/things/recent", "v://1/things/recent", {}),
        ("v://1/things/recent/parts", "v://1/things/recent/{limit}", {"limit": "parts"}),
        ("v://1/things/7/parts", "v://1/things/{id}/parts", {"id": "7"}),
        ("v://1/things/a%2Fb/parts/%C3%9F", "v://1/things/{id}/parts/{part}", {"id": "a/b", "part": "ß"}),
        ("v://1/things/a+b:c", "v://1/things/{id}", {"id": "a+b:c"}),
        ("v://1/things/100%", "v://1/things/{id}", {"id": "100%"}),
    ],
)
def test_the_most_literal_template_fits_and_values_are_decoded(
    space: UriSpace, uri: str, template: str, values: dict[str, str]
) -> None:
    found = space.find(uri)

    assert found is not None
    assert (found[0].text, found[1]) == (template, values)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "v://1/things",
        "v://1/things/",
        "v://1/things/7/",
        "v://1/things/7?a=b",
        "v://1/things/7#a",
        "V://1/things/7",
        "v://1/things/%ff",
        "xv://1/things/7",
        f"v://1/things/{'7' * 5000}",
        "v://1/things/7\n",
    ],
)
def test_anything_else_fits_none(space: UriSpace, uri: str) -> None:
    found = space.find(uri)

    assert found is None


def test_the_templates_that_look_most_alike_are_named(space: UriSpace) -> None:
    assert space.nearest("v://1/things/7/part")[0] == "v://1/things/{id}/parts"
    assert space.nearest("v://1/things/7/parts/9/x")[0] == "v://1/things/{id}/parts/{part}"
