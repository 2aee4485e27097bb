"""Another implementation of JSON Schema, in another language, reads our schemas as ours does."""

from collections.abc import Callable, Iterator, Mapping

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.envelopes import STYLE_OF, error_answer
from vcontract.codegen.model import Contract
from vcontract.codegen.schemas import without_markers

Verdict = Callable[[str, JsonValue], bool]
StartAjv = Callable[[Mapping[str, JsonObject]], Verdict]
Mutations = Callable[[JsonObject], st.SearchStrategy[JsonObject]]


@pytest.fixture(scope="module")
def schemas(contract: Contract) -> dict[str, JsonObject]:
    """Every schema we publish, by name."""
    found = {f"vcon {schema.version}": schema.schema for schema in contract.document_schemas}
    for tool in contract.tools:
        found[f"{tool.key} input"] = tool.input_schema
        found[f"{tool.key} output"] = _published(tool.output_schema)
    return found


def _published(schema: JsonObject) -> JsonObject:
    """A schema without what only the generator reads."""
    published = without_markers(schema)
    assert is_object(published)
    return published


@pytest.fixture(scope="module")
def documents(contract: Contract, vcons: Mapping[str, JsonObject]) -> list[tuple[str, JsonObject]]:
    """`(schema, document)` of every example."""
    found = [
        (f"vcon {schema.version}", vcon) for schema in contract.document_schemas for vcon in vcons.values()
    ]
    return [*found, *_of_tools(contract)]


def _of_tools(contract: Contract) -> Iterator[tuple[str, JsonObject]]:
    for tool in contract.tools:
        for example in tool.examples:
            yield f"{tool.key} input", example.params
            if example.response is not None:
                yield f"{tool.key} output", example.response
            if example.error is not None:
                answer = error_answer(STYLE_OF[tool.envelope], example.error.code, "x", example.error.details)
                yield f"{tool.key} output", answer


@pytest.fixture(scope="module")
def ours(schemas: Mapping[str, JsonObject]) -> Verdict:
    validators = {
        name: jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        for name, schema in schemas.items()
    }

    def fits(schema: str, document: JsonValue) -> bool:
        return validators[schema].is_valid(document)

    return fits


@pytest.fixture(scope="module")
def ajv(schemas: Mapping[str, JsonObject], start_ajv: StartAjv) -> Verdict:
    return start_ajv(schemas)


def test_both_say_the_same_of_every_example(
    documents: list[tuple[str, JsonObject]], ours: Verdict, ajv: Verdict
) -> None:
    verdicts = [ours(schema, document) for schema, document in documents]

    assert [ajv(schema, document) for schema, document in documents] == verdicts
    assert verdicts.count(True) > len(verdicts) / 2


@settings(
    max_examples=400,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(data=st.data())
def test_both_say_the_same_of_what_examples_become_when_changed(
    data: st.DataObject,
    documents: list[tuple[str, JsonObject]],
    mutations: Mutations,
    ours: Verdict,
    ajv: Verdict,
) -> None:
    kinds = sorted({schema for schema, _ in documents})
    kind = data.draw(st.sampled_from([*kinds, *(kind for kind in kinds if kind.startswith("vcon "))]))
    document = data.draw(st.sampled_from([example for schema, example in documents if schema == kind]))

    changed = data.draw(mutations(document))

    assert ajv(kind, changed) is ours(kind, changed)
