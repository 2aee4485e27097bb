"""generated/contract.d.ts and vcon.d.ts: tools, resources and vCons as TypeScript types."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject
from vcontract.codegen.model import Contract, Resource, Tool, VconSchema
from vcontract.codegen.output import OutputFile
from vcontract.codegen.published import VCON, contract_schemas, vcon_schemas
from vcontract.codegen.type_reading import TypeReader, notes_on
from vcontract.codegen.types import (
    ANYTHING,
    NEVER,
    Alternative,
    ArrayOf,
    Member,
    Notes,
    ObjectOf,
    Scalar,
    Structure,
    Type,
    either,
    references_of,
)

WIDTH: Final = 110
_STEP: Final = "  "
_LONGEST_UNION: Final = 90
_UNDEFINED: Final = "undefined"
_VARIABLE: Final = re.compile(r"\{(\w+)\}")

_ABOUT: Final = """\
Every value that fits the schema fits its type. Types do not hold bounds, patterns and formats, nor
rules that depend on other members: the JSON Schema has them all. An optional member may be absent;
null is allowed only where a type says so. Objects that are open admit further members of any type."""


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile("contract.d.ts", _contract_module(contract))
    for schema in contract.vcon_schemas:
        yield OutputFile(f"vcon/{schema.version}/vcon.d.ts", _vcon_module(schema))
    for schema in contract.vcon_schemas[-1:]:
        yield OutputFile("vcon.d.ts", _vcon_module(schema))


def declarations(schemas: Mapping[str, JsonObject], roots: Sequence[str]) -> str:
    """`roots`, and all that their types refer to, as exported types; references are `#/$defs/<name>`.

    They are type aliases and not interfaces: only those fit `Record<string, unknown>`, which is what
    clients take as arguments.
    """
    reader = TypeReader(schemas)
    types: dict[str, Type] = {}
    waiting = list(reversed(roots))
    while waiting:
        name = waiting.pop()
        if name not in types:
            types[name] = reader.named(name)
            waiting.extend(reversed(list(references_of(types[name]))))
    return "\n".join(_declaration(name, types[name], schemas[name]) for name in types)


def _contract_module(contract: Contract) -> str:
    schemas = contract_schemas(contract)
    server = contract.server
    shapes = {naming.class_name(name) for name in contract.shapes}
    return "\n".join(
        (
            _header(f"What {server.title} serves, contract {server.version}"),
            _index(
                naming.TOOLS_TYPE,
                naming.TOOL_NAME_TYPE,
                "Every tool: what it takes and what it answers.",
                [_tool(tool) for tool in contract.tools],
            ),
            _index(
                naming.RESOURCES_TYPE,
                naming.RESOURCE_NAME_TYPE,
                "Every resource: the templates of its URIs, the URIs, their variables, and what is read.",
                [_resource(resource) for resource in contract.resources],
            ),
            declarations(schemas, [name for name in schemas if name not in shapes]),
        )
    )


def _index(name: str, names: str, about: str, members: Sequence[Member]) -> str:
    """Two types: `members` by their names, and their names."""
    index = (Alternative(structure=ObjectOf(tuple(members), NEVER)),)
    return (
        f"{_comment(Notes(about), '')}export type {name} = {_printed(index, '')};\n\n"
        f"export type {names} = keyof {name};\n"
    )


def _tool(tool: Tool) -> Member:
    types = _closed(
        params=(Alternative((naming.params_class(tool.key),)),),
        response=(Alternative((naming.response_class(tool.key),)),),
    )
    tags = (("deprecated", ""),) if tool.deprecated else ()
    return Member(tool.key, types, required=True, notes=Notes(tool.description, tags))


def _resource(resource: Resource) -> Member:
    types = _closed(
        template=_one_of(json.dumps(uri) for uri in resource.uris),
        uri=_one_of(_uris(resource, uri) for uri in resource.uris),
        params=TypeReader({}).read(resource.params_schema),
        content=(Alternative((naming.content_class(resource.name),)),),
    )
    return Member(resource.name, types, required=True, notes=Notes(resource.description))


def _one_of(literals: Iterable[str]) -> Type:
    return tuple(Alternative(structure=Scalar("string", literal)) for literal in literals)


def _uris(resource: Resource, template: str) -> str:
    """The URIs of a template as a type: a string for itself, with a place for each variable."""
    kinds = {
        parameter.name: "number" if parameter.type == "integer" else "string"
        for parameter in resource.parameters
    }
    found = _VARIABLE.sub(lambda variable: f"${{{kinds[variable[1]]}}}", template)
    return json.dumps(template) if found == template else f"`{found}`"


def _vcon_module(schema: VconSchema) -> str:
    schemas = vcon_schemas(schema.schema)
    header = _header(f"The vCon syntax, version {schema.version}")
    return header + "\n" + declarations(schemas, [VCON])


def _header(subject: str) -> str:
    lines = [
        f"{subject}.",
        "Made from spec/ by codegen; run `make generate`, never edit.",
    ]
    return "".join(f"// {line}\n" for line in (*lines, "", *_ABOUT.splitlines())).replace("// \n", "//\n")


def _closed(**members: Type) -> Type:
    declared = tuple(Member(name, type_, required=True) for name, type_ in members.items())
    return (Alternative(structure=ObjectOf(declared, NEVER)),)


def _declaration(name: str, type_: Type, schema: JsonObject) -> str:
    notes = notes_on(schema)
    title: str = schema.get("title", "")
    text = f"{title}. {notes.text}" if title and title != notes.text else notes.text
    comment = _comment(Notes(text, notes.tags), "")
    body = _printed(type_, "")
    space = "" if body.startswith("\n") else " "
    return f"{comment}export type {naming.typescript_type(name)} ={space}{body};\n"


def _printed(type_: Type, margin: str) -> str:
    """`type_` as it stands after a colon in a line that begins with `margin`."""
    if type_ == NEVER:
        return "never"
    if ANYTHING[0] in type_:
        return "unknown"
    texts = list(dict.fromkeys(_alternative(alternative, margin) for alternative in type_))
    of_many_lines = sum("\n" in text for text in texts)
    line = " | ".join(texts)
    if len(texts) == 1 or of_many_lines == 1 or (not of_many_lines and len(line) <= _LONGEST_UNION):
        return line
    inner = margin + _STEP
    texts = list(dict.fromkeys(_alternative(alternative, inner + _STEP) for alternative in type_))
    return "".join(f"\n{inner}| {text}" for text in texts)


def _alternative(alternative: Alternative, margin: str) -> str:
    parts = [naming.typescript_type(name) for name in alternative.references]
    if alternative.structure is not None:
        parts.append(_structure(alternative.structure, margin))
    return " & ".join(parts)


def _structure(structure: Structure, margin: str) -> str:
    match structure:
        case Scalar():
            return structure.literal or structure.kind
        case ArrayOf():
            return _array(structure, margin)
        case ObjectOf():
            return _object(structure, margin)


def _array(array: ArrayOf, margin: str) -> str:
    rest = _elements(array.rest, margin)
    if not array.first:
        return "[]" if array.rest == NEVER else rest
    parts = [
        _printed(element, margin + _STEP) if position < array.least else _optional(element, margin + _STEP)
        for position, element in enumerate(array.first)
    ]
    return f"[{', '.join(parts if array.rest == NEVER else [*parts, f'...{rest}'])}]"


def _optional(type_: Type, margin: str) -> str:
    """`type_` as an element of a tuple that may be absent."""
    text = _printed(type_, margin)
    return f"({text})?" if len(type_) > 1 or "&" in text else f"{text}?"


def _elements(type_: Type, margin: str) -> str:
    """An array of `type_`."""
    text = _printed(type_, margin)
    return f"{text}[]" if text.isidentifier() else f"Array<{text}>"


def _object(object_: ObjectOf, margin: str) -> str:
    if not object_.members:
        others = "never" if object_.others == NEVER else _printed(object_.others, margin)
        return f"Record<string, {others}>"
    inner = margin + _STEP
    lines = [_comment(member.notes, inner) + _member(member, inner) for member in object_.members]
    if object_.others != NEVER:
        lines.append(f"{inner}[member: string]: {_further(object_, inner)};\n")
    return "{\n" + "".join(lines) + margin + "}"


def _member(member: Member, margin: str) -> str:
    text = _printed(member.type, margin)
    mark = "" if member.required else "?"
    space = "" if text.startswith("\n") else " "
    return f"{margin}{naming.typescript_member(member.name)}{mark}:{space}{text};\n"


def _further(object_: ObjectOf, margin: str) -> str:
    """The type of further members: TypeScript wants every declared member to fit it too."""
    declared = [alternative for member in object_.members for alternative in member.type]
    whole = _printed(either([*object_.others, *declared]), margin)
    optional = any(not member.required for member in object_.members)
    return f"{whole} | {_UNDEFINED}" if optional and whole != "unknown" else whole


def _comment(notes: Notes, margin: str) -> str:
    """`notes` as a comment of its own lines; nothing when there are none."""
    width = WIDTH - len(margin) - len(" * ")
    lines = [
        *textwrap.wrap(notes.text, width, break_long_words=False, break_on_hyphens=False),
        *(f"@{keyword} {value}".rstrip() for keyword, value in notes.tags),
    ]
    lines = [line.replace("*/", "*\\/") for line in lines]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{margin}/** {lines[0]} */\n"
    return f"{margin}/**\n" + "".join(f"{margin} * {line}\n" for line in lines) + f"{margin} */\n"
