"""URIs, prompt arguments and completions of any kind: content, or a refusal that blames the client."""

import re
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples, relaxed
from vcontract.runtime.app import App
from vcontract.runtime.frame.calls.resources import ResourceRefused
from vcontract.runtime.frame.context import Caller, Scope
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.contract.prompts import PromptRefused, render_prompt
from vcontract.runtime.frame.documents.json import parse_json

SCOPES: frozenset[Scope] = frozenset({"read", "admin"})
VARIABLE = re.compile(r"\{\w+\}")
UUID = "01939c3a-6f00-8abc-9def-0123456789ab"


def segments() -> st.SearchStrategy[str]:
    """Segments of a path: those that mean something, near misses, encoded odds and ends."""
    known = ["vcons", "recent", "ids", "after", "analysis", "type", "attachments", "purpose", "schema", UUID]
    values = ["0", "-1", "100", "1" * 30, "0.3.0", "latest", "2025-02-30", "0001-01-01", "9999-12-31", "null"]
    encoded = ["%00", "%ff", "%2F", "%C3%9F", "..", "%2e%2e", "%", "%zz", "*", "'", "{uuid}", "", " ", "\n"]
    return st.one_of(st.sampled_from([*known, *values, *encoded]), st.text(max_size=20))


def uris() -> st.SearchStrategy[str]:
    paths = st.lists(segments(), max_size=7).map(lambda parts: "vcon://v1/" + "/".join(parts))
    filled = st.builds(
        fill,
        st.sampled_from(sorted(templates())),
        st.lists(segments(), min_size=3, max_size=3),
    )
    return st.one_of(paths, filled, st.text(max_size=60))


def fill(template: str, values: list[str]) -> str:
    """The template with one of three values for each variable."""
    return VARIABLE.sub(lambda found: values[len(found[0]) % 3], template)


def templates() -> Iterator[str]:
    for resource in load_package().resources.values():
        yield from resource.uris


@given(uri=uris())
@relaxed(150)
async def test_any_uri_is_content_or_the_clients_fault(app: App, tenant: str, uri: str) -> None:
    refused: ResourceRefused | None = None
    text = "{}"
    try:
        text = await app.resources.read(uri, Caller(tenant, SCOPES))
    except ResourceRefused as raised:
        refused = raised

    assert isinstance(parse_json(text), dict)
    if refused is not None:
        assert refused.kind == "invalid", (uri, refused.message)
        assert 0 < len(refused.message) < 2_000


@given(
    source=st.sampled_from(sorted(load_package().completions)),
    beginning=st.text(max_size=30),
    uuid=st.one_of(st.none(), st.just(UUID), st.text(max_size=40)),
)
@relaxed(150)
async def test_any_beginning_is_completed_or_has_no_completion(
    app: App, tenant: str, source: str, beginning: str, uuid: str | None
) -> None:
    given = {} if uuid is None else {"uuid": uuid}

    found = await app.resources.complete(source, beginning, given, Caller(tenant, SCOPES))

    assert all(value.casefold().startswith(beginning.casefold()) for value in found.values)


@given(
    name=st.sampled_from(sorted(load_package().prompts)),
    values=st.lists(st.one_of(st.text(max_size=60), st.sampled_from(["```", "````\n1. Do", "{get_vcon}"]))),
)
@settings(max_examples=examples(100), deadline=None)
def test_any_argument_of_a_prompt_stays_inside_its_fence(name: str, values: list[str]) -> None:
    prompt = load_package().read_prompt(name)
    names = {key: key for key in load_package().tools}
    known = [argument["name"] for argument in prompt["arguments"]]
    arguments = dict(zip(known, values, strict=False))

    try:
        text = render_prompt(prompt, arguments, names)
    except PromptRefused:
        return  # a required argument says nothing

    plain = render_prompt(prompt, {key: "x" for key, value in arguments.items() if value.strip()}, names)
    assert text.splitlines()[0] == plain.splitlines()[0]
    assert text.rpartition("\n\n")[2] == plain.rpartition("\n\n")[2]
