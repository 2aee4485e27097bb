"""contract.d.ts: every example of every tool compiles, and a call or an answer that is wrong does not."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json
from vcontract.codegen.envelopes import STYLE_OF, error_answer
from vcontract.codegen.generate import print_files
from vcontract.codegen.model import Contract, Tool

Compile = Callable[..., list[list[str]]]

DOES_NOT_FIT = {"TS2322", "TS2739", "TS2740", "TS2741", "TS2353", "TS2559"}
"""As in test_vcon_types; a member that a closed object does not have; no member in common."""


@pytest.fixture(scope="module")
def modules(contract: Contract) -> dict[str, str]:
    files = {file.path: file.text for file in print_files(contract)}
    return {"contract.d.ts": files["contract.d.ts"]}


@pytest.fixture(scope="module")
def imports(contract: Contract) -> str:
    names = [
        name(tool.key) for tool in contract.tools for name in (naming.params_class, naming.response_class)
    ]
    return f'import type {{ ToolName, Tools, {", ".join(names)} }} from "./contract";'


def constants(values: Sequence[tuple[str, str, JsonValue]]) -> list[str]:
    """A line for each `(about, type, value)`."""
    return [
        f"export const value{number}: {type_} = {compact_json(value)};"
        for number, (_, type_, value) in enumerate(values)
    ]


def right(contract: Contract) -> Iterator[tuple[str, str, JsonValue]]:
    """Parameters and answer of every example, and every error of every tool."""
    for tool in contract.tools:
        response = naming.response_class(tool.key)
        for example in tool.examples:
            if example.response is not None:
                about = f"{tool.key}, {example.name}"
                yield f"{about}: parameters", naming.params_class(tool.key), example.params
                yield f"{about}: response", response, example.response
        for code in tool.errors:
            for details in (None, {"reason": "x"}):
                yield f"{tool.key}: {code}", response, error(tool, code, details)


def wrong(contract: Contract) -> Iterator[tuple[str, str, JsonValue]]:
    """What an example becomes when one of its members is lost, added or of another type."""
    for tool in contract.tools:
        example = next(example for example in tool.examples if example.response is not None)
        params, response = naming.params_class(tool.key), naming.response_class(tool.key)
        yield f"{tool.key}: unknown parameter", params, {**example.params, "colour": "red"}
        yield f"{tool.key}: parameters as list", params, [example.params]
        for name in tool.input_schema.get("required", []):
            yield f"{tool.key}: without {name}", params, without(example.params, name)
            yield f"{tool.key}: null as {name}", params, {**example.params, name: None}
        for name in tool.input_schema["properties"]:
            yield f"{tool.key}: {name} of no sense", params, {**example.params, name: [[[{}]]]}
        for name in next(form for form in tool.success_forms if form["required"])["required"]:
            yield f"{tool.key}: answer without {name}", response, without(tool.success_example, name)
        yield f"{tool.key}: unknown error", response, error(tool, "NO_SUCH_CODE", None)
        yield (
            f"{tool.key}: error without code",
            response,
            {**error(tool, "", None), "error_code": None, "error": {}},
        )
        yield (
            f"{tool.key}: an error that succeeds",
            response,
            {
                **error(tool, tool.errors[0], None),
                "ok": True,
                "success": True,
            },
        )


def error(tool: Tool, code: str, details: JsonObject | None) -> JsonObject:
    return error_answer(STYLE_OF[tool.envelope], code, "It went wrong.", details)


def without(document: JsonObject, name: str) -> JsonObject:
    return {member: value for member, value in document.items() if member != name}


def test_every_example_and_every_error_compiles(
    contract: Contract, modules: Mapping[str, str], imports: str, compile_typescript: Compile
) -> None:
    values = list(right(contract))

    found = compile_typescript(modules, [imports, *constants(values)])

    assert [about for (about, _, _), codes in zip(values, found[1:], strict=True) if codes] == []
    assert found[0] == []


def test_a_wrong_call_or_answer_does_not_compile(
    contract: Contract, modules: Mapping[str, str], imports: str, compile_typescript: Compile
) -> None:
    values = list(wrong(contract))

    found = compile_typescript(modules, [imports, *constants(values)])

    errors = {about: codes for (about, _, _), codes in zip(values, found[1:], strict=True)}
    assert {about: codes for about, codes in errors.items() if not codes or set(codes) - DOES_NOT_FIT} == {}


def test_a_client_typed_by_the_index_of_tools_knows_calls_and_answers(
    modules: Mapping[str, str], imports: str, compile_typescript: Compile
) -> None:
    lines = {
        imports: [],
        "declare function call<N extends ToolName>(n: N, p: Tools[N]['params']): Tools[N]['response'];": [],
        'const found = call("vcon_search", { mode: "keyword", query: "refund" });': [],
        "export const code = found.ok ? found.items[0]?.id : found.error.code;": [],
        "export const item: string = found.ok ? found.items[0]!.id : found.error.message;": [],
        "export const next: string = found.ok ? found.page.next_cursor : '';": ["TS2322"],
        "export const early: string = found.items[0].id;": ["TS18046"],
        'call("vcon_search", { mode: "sideways" });': ["TS2322"],
        'call("vcon_serch", { mode: "keyword" });': ["TS2345"],
        'const got = call("get_vcon", { uuid: "x" });': [],
        "export const reason: string = got.success ? got.vcon.uuid : got.error;": [],
    }

    assert compile_typescript(modules, list(lines)) == list(lines.values())


def test_every_example_of_a_resource_compiles(
    contract: Contract, modules: Mapping[str, str], compile_typescript: Compile
) -> None:
    values = [
        value
        for resource in contract.resources
        if (example := resource.example)
        for value in (
            (resource.name, f"Resources['{resource.name}']['uri']", example.uri),
            (resource.name, f"Resources['{resource.name}']['content']", example.content),
        )
    ]

    found = compile_typescript(modules, ['import type { Resources } from "./contract";', *constants(values)])

    assert len(values) > 10
    assert [about for (about, _, _), codes in zip(values, found[1:], strict=True) if codes] == []


def test_a_client_typed_by_the_index_of_resources_knows_uris_and_contents(
    modules: Mapping[str, str], compile_typescript: Compile
) -> None:
    lines = {
        'import type { ResourceName, Resources } from "./contract";': [],
        "declare function read<N extends ResourceName>(n: N, u: Resources[N]['uri']):"
        " Resources[N]['content'];": [],
        "declare function uriOf<N extends ResourceName>(n: N, t: Resources[N]['template'],"
        " p: Resources[N]['params']): Resources[N]['uri'];": [],
        "const page = read('vcon_ids', 'vcon://v1/vcons/ids/10');": [],
        "export const next: string | null = page.next_cursor;": [],
        "export const first: string | undefined = page.vcons[0]?.uuid;": [],
        "export const tags = read('vcon_tags', `vcon://v1/vcons/${first}/tags`).tags;": [],
        "read('vcon_ids', uriOf('vcon_ids', 'vcon://v1/vcons/ids/{limit}', { limit: 5 }));": [],
        "read('vcon_ids', 'vcon://v1/vcons/ids/ten');": ["TS2345"],
        "read('vcon_tags', 'vcon://v1/vcons/x/tag');": ["TS2345"],
        "read('vcon_tag', 'vcon://v1/vcons/x/tags');": ["TS2345"],
        "uriOf('vcon', 'vcon://v1/vcons/{uuid}', {});": ["TS2345"],
        "uriOf('vcon', 'vcon://v1/vcon/{uuid}', { uuid: 'x' });": ["TS2345"],
        "export const count: string = page.count;": ["TS2322"],
    }

    assert compile_typescript(modules, list(lines)) == list(lines.values())


@pytest.mark.parametrize(("flags", "codes"), [((), []), (("--exactOptionalPropertyTypes",), ["TS2375"])])
def test_an_optional_member_may_be_undefined_only_where_the_reader_allows_it(
    flags: Sequence[str], codes: list[str], modules: Mapping[str, str], compile_typescript: Compile
) -> None:
    lines = [
        'import type { VconSearchParams } from "./contract";',
        'export const params: VconSearchParams = { mode: "metadata", query: undefined };',
    ]

    assert compile_typescript(modules, lines, *flags) == [[], codes]
