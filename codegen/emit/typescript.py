"""generated/contract.d.ts: tools and resources as TypeScript types, and how schemas become types."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.model import Contract, Resource, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.published import contract_schemas
from vcontract.codegen.schemas import shape_name

WIDTH: Final = 110
_STEP: Final = "  "
_MAX_UNION: Final = 90
_VARIABLE: Final = re.compile(r"\{(\w+)\}")
_KINDS: Final = ("string", "number", "boolean", "null", "array", "object")
_KEYWORDS: Final = {
    "array": frozenset({"items", "prefixItems"}),
    "object": frozenset({"properties", "required", "additionalProperties", "patternProperties"}),
}
_TAGGED: Final = (
    *("default", "format", "pattern", "minLength", "maxLength", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
)
"""Rules that a type cannot hold; a comment shows them as tags."""

Union: TypeAlias = list[str]
"""The text of each alternative of a type; none for `never`."""

_ANYTHING: Final = ["unknown"]

_ABOUT: Final = """\
Every value that fits the schema fits its type. Types do not hold bounds, patterns and formats, nor
rules that depend on other members: the JSON Schema has them all. An optional member may be absent;
null is allowed only where a type says so. Objects that are open admit further members of any type."""


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile("contract.d.ts", _contract_module(contract))


def declarations(
    schemas: Mapping[str, JsonObject], roots: Sequence[str], headings: Mapping[str, str] | None = None
) -> str:
    """`roots`, then all that their types refer to, as exported types; references are `#/$defs/<name>`.

    They are type aliases and not interfaces: only those fit `Record<string, unknown>`, which is what
    clients take as arguments. `headings` are comments before some of the roots: additions on both sides of
    one merge.
    """
    above = headings or {}
    types = _Types(schemas)
    texts: dict[str, str] = {}
    waiting = list(roots)
    while waiting:
        for name in waiting:
            texts[name] = _declaration(name, types.text(schemas[name], ""), schemas[name])
        waiting = sorted({*types.references} - texts.keys())
    return "\n".join(
        (f"// {above[name]}\n\n" if name in above else "") + texts[name]
        for name in (*roots, *sorted(texts.keys() - {*roots}))
    )


def _contract_module(contract: Contract) -> str:
    schemas = contract_schemas(contract)
    server = contract.server
    shapes = {naming.class_name(name) for name in contract.shapes}
    headings = contract.toolset_headings
    return "\n".join(
        (
            _header(f"What {server.title} serves, contract {server.version}"),
            _index(
                naming.TOOLS_TYPE,
                naming.TOOL_NAME_TYPE,
                "Every tool: what it takes and what it answers.",
                [_tool(tool, headings.get(tool.key)) for tool in contract.tools],
            ),
            _index(
                naming.RESOURCES_TYPE,
                naming.RESOURCE_NAME_TYPE,
                "Every resource: the templates of its URIs, the URIs, their variables, and what is read.",
                [_resource(resource) for resource in contract.resources],
            ),
            declarations(
                schemas,
                [name for name in schemas if name not in shapes],
                {naming.params_class(key): title for key, title in headings.items()},
            ),
        )
    )


def _index(name: str, names: str, about: str, entries: Iterable[str]) -> str:
    """Two types: `entries` by their names, and their names."""
    return (
        f"{_comment(about, (), '')}export type {name} = {_block(entries, '')};\n\n"
        f"export type {names} = keyof {name};\n"
    )


def _entry(name: str, description: str, tags: Iterable[str], **members: str) -> str:
    """An entry of an index, whose members are types."""
    inner = _STEP * 2
    block = _block((f"{inner}{member}:{_spaced(text)};\n" for member, text in members.items()), _STEP)
    return f"{_comment(description, tags, _STEP)}{_STEP}{name}: {block};\n"


def _tool(tool: Tool, heading: str | None) -> str:
    return (f"{_STEP}// {heading}\n" if heading else "") + _entry(
        tool.key,
        tool.description,
        ["deprecated"] if tool.deprecated else [],
        params=naming.params_class(tool.key),
        response=naming.response_class(tool.key),
    )


def _resource(resource: Resource) -> str:
    return _entry(
        resource.name,
        resource.description,
        [],
        template=_wrapped([json.dumps(uri) for uri in resource.uris], _STEP * 2),
        uri=_wrapped([_uris(resource, uri) for uri in resource.uris], _STEP * 2),
        params=_Types({}).text(resource.params_schema, _STEP * 2),
        content=naming.content_class(resource.name),
    )


def _uris(resource: Resource, template: str) -> str:
    """The URIs of a template as a type: a string for itself, with a place for each variable."""
    kinds = {
        parameter.name: "number" if parameter.type == "integer" else "string"
        for parameter in resource.parameters
    }
    found = _VARIABLE.sub(lambda variable: f"${{{kinds[variable[1]]}}}", template)
    return json.dumps(template) if found == template else f"`{found}`"


def module(subject: str, schemas: Mapping[str, JsonObject], roots: Sequence[str]) -> str:
    """A file of `roots`, and all that their types refer to."""
    return _header(subject) + "\n" + declarations(schemas, roots)


def _header(subject: str) -> str:
    lines = [
        f"{subject}.",
        "Made from spec/ by codegen; run `make generate`, never edit.",
    ]
    return "".join(f"// {line}\n" for line in (*lines, "", *_ABOUT.splitlines())).replace("// \n", "//\n")


def _declaration(name: str, body: str, schema: JsonObject) -> str:
    title, text = schema.get("title", ""), _description(schema)
    comment = _comment(f"{title}. {text}" if title and title != text else text, _tags(schema), "")
    return f"{comment}export type {naming.typescript_type(name)} ={_spaced(body)};\n"


class _Types:
    """Prints the types of schemas that refer to each other as `#/$defs/<name>`.

    A type admits every value that its schema admits. It may admit more: bounds, patterns and formats are
    not in it. A rule that depends on another value is in it only if both outcomes forbid something.
    """

    def __init__(self, schemas: Mapping[str, JsonObject]) -> None:
        self._schemas = schemas
        self._free: dict[str, bool] = {}
        """Whether a named type admits anything; False while it is being read."""
        self.references: list[str] = []
        """The names that the printed types refer to, in the order they are met."""

    def text(self, schema: JsonValue, margin: str, beside: JsonValue = True) -> str:
        """The type of `schema` after a colon in a line that begins with `margin`."""
        return _wrapped(self._union(schema, margin, beside), margin)

    def _union(self, schema: JsonValue, margin: str, beside: JsonValue = True) -> Union:
        """What `schema` says of values that fit the schema `beside` too."""
        if not is_object(schema):
            return [] if schema is False else _ANYTHING
        within = self._kinds(beside)
        kinds = [kind for kind in self._kinds(schema) if kind in within]
        listed = [schema["const"]] if "const" in schema else schema.get("enum")
        if listed is not None:
            return _joined(self._literal(value, margin) for value in listed if _kind(value) in kinds)
        structured = any(kind in kinds and names & schema.keys() for kind, names in _KEYWORDS.items())
        around = {**(schema if structured else self._resolved(beside)), "type": kinds}
        parts = self._of_branches(schema, margin, around)
        name = self._reference(schema)
        admitted = within if name is None else self._kinds(self._schemas[name])
        if structured or (set(kinds) < set(admitted) and not parts):
            parts.insert(0, [self._structure(kind, schema, margin, beside) for kind in kinds])
        if name is not None:
            self.references.append(name)
            parts.insert(0, [naming.typescript_type(name)])
        return _both(parts)

    def _of_branches(self, schema: JsonObject, margin: str, around: JsonObject) -> list[Union]:
        """What each of the schema's lists of branches says, if it says anything."""
        parts = (self._either(branches, margin, around) for branches in _branches(schema))
        return [union for union in parts if union != _ANYTHING]

    def _either(self, branches: Iterable[JsonValue], margin: str, beside: JsonValue = True) -> Union:
        unions = [self._union(branch, margin, beside) for branch in branches]
        return _ANYTHING if _ANYTHING in unions else _joined(unions)

    def _reference(self, schema: JsonObject) -> str | None:
        """The name that `schema` refers to, if its type says anything."""
        name = shape_name(schema)
        if name is not None and name not in self._free:
            self._free[name] = False
            references = [*self.references]
            self._free[name] = self._union(self._schemas[name], "") == _ANYTHING
            self.references = references
        return None if name is None or self._free[name] else name

    def _resolved(self, schema: JsonValue) -> JsonObject:
        """`schema` with the keywords of what it refers to."""
        if not is_object(schema):
            return {}
        name = shape_name(schema)
        return schema if name is None else {**self._resolved(self._schemas[name]), **schema}

    def _kinds(self, schema: JsonValue) -> list[str]:
        """The kinds of value that `schema` leaves, also through references."""
        if not is_object(schema):
            return [*_KINDS] if schema is not False else []
        stated = schema.get("type", [*_KINDS])
        names = stated if is_array(stated) else [stated]
        name = shape_name(schema)
        parts = [*schema.get("allOf", ()), *([] if name is None else [self._schemas[name]])]
        others = [self._kinds(part) for part in parts]
        kinds = dict.fromkeys("number" if name == "integer" else name for name in names)
        return [kind for kind in kinds if all(kind in other for other in others)]

    def _literal(self, value: JsonValue, margin: str) -> Union:
        """The type of `value` alone."""
        if is_array(value):
            elements = [{"const": element} for element in value]
            schema = {"type": "array", "prefixItems": elements, "minItems": len(value), "items": False}
            return self._union(schema, margin)
        if is_object(value):
            members = {name: {"const": member} for name, member in value.items()}
            closed = {"type": "object", "required": [*value], "additionalProperties": False}
            return self._union({**closed, "properties": members}, margin)
        return [_json(value)]

    def _structure(self, kind: str, schema: JsonObject, margin: str, beside: JsonValue) -> str:
        if kind == "array":
            return self._array(schema, margin, self._resolved(beside))
        return self._object(schema, margin, self._resolved(beside)) if kind == "object" else kind

    def _array(self, schema: JsonObject, margin: str, beside: JsonObject) -> str:
        items = schema.get("items", True)
        # The compiler compares the elements with each part of an intersection: they need further members.
        text = self.text(items, margin, {**self._resolved(beside.get("items")), "additionalProperties": True})
        rest = f"{text}[]" if text.isidentifier() else f"Array<{text}>"
        first = schema.get("prefixItems", ())
        if not first:
            return "[]" if items is False else rest
        texts = [self.text(element, margin + _STEP) for element in first]
        least = schema.get("minItems", 0)
        texts[least:] = [f"({text})?" if re.search(r"[|&]", text) else f"{text}?" for text in texts[least:]]
        return f"[{', '.join(texts if items is False else [*texts, f'...{rest}'])}]"

    def _object(self, schema: JsonObject, margin: str, beside: JsonObject) -> str:
        properties: JsonObject = schema.get("properties", {})
        required: list[str] = schema.get("required", [])
        others = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties", True)]
        further: JsonObject = {"anyOf": others}
        members = {**properties, **{name: further for name in required if name not in properties}}
        if not members:
            return f"Record<string, {self.text(further, margin)}>"
        inner = margin + _STEP
        lines: list[str] = []
        for name, member in members.items():
            comment = _comment(_description(member), _tags(member), inner)
            mark = "" if name in required else "?"
            text = self.text(member, inner, beside.get("properties", {}).get(name, True))
            lines.append(f"{comment}{inner}{naming.typescript_member(name)}{mark}:{_spaced(text)};\n")
        is_closed = others == [False] or (
            beside.get("additionalProperties") is False and "additionalProperties" not in schema
        )
        if not is_closed:
            # TypeScript wants every declared member to fit the type of the further ones.
            whole = self._either([*others, *members.values()], inner)
            if whole != _ANYTHING and members.keys() - {*required}:
                whole = [*whole, "undefined"]
            lines.append(f"{inner}[member: string]: {_one_of(whole)};\n")
        return _block(lines, margin)


def _branches(schema: JsonObject) -> Iterator[Sequence[JsonValue]]:
    """Schemas of which one has to hold, each time."""
    yield from ([part] for part in schema.get("allOf", ()))
    yield from (schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema)
    if {"if", "then", "else"} <= schema.keys():
        yield [schema["then"], schema["else"]]


def _joined(unions: Iterable[Union]) -> Union:
    return list(dict.fromkeys(text for union in unions for text in union))


def _both(unions: Sequence[Union]) -> Union:
    """The intersection of `unions`."""
    if len(unions) <= 1:
        return unions[0] if unions else _ANYTHING
    if [] in unions:
        return []
    return [" & ".join(union[0] if len(union) == 1 else f"({_one_of(union)})" for union in unions)]


def _one_of(union: Union) -> str:
    return " | ".join(union) or "never"


def _wrapped(union: Union, margin: str) -> str:
    """`union` on one line, or an alternative a line where it is long."""
    line, broken = _one_of(union), sum("\n" in text for text in union)
    if len(union) <= 1 or broken == 1 or (not broken and len(line) <= _MAX_UNION):
        return line
    texts = (text.replace("\n", f"\n{_STEP * 2}") for text in union)
    return "".join(f"\n{margin}{_STEP}| {text}" for text in texts)


def _block(lines: Iterable[str], margin: str) -> str:
    return "{\n" + "".join(lines) + margin + "}"


def _spaced(text: str) -> str:
    """`text` after a colon or an equals sign, on the same line or below."""
    return text if text.startswith("\n") else f" {text}"


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    return "array" if is_array(value) else "object" if is_object(value) else "number"


def _description(schema: JsonValue) -> str:
    return schema.get("description") or schema.get("title", "") if is_object(schema) else ""


def _tags(schema: JsonValue) -> Iterator[str]:
    """Rules of `schema` that a type cannot express, as tags of a comment."""
    if is_object(schema):
        yield from ["deprecated"] if schema.get("deprecated") else []
        for keyword in (keyword for keyword in _TAGGED if keyword in schema):
            value = schema[keyword]
            yield f"{keyword} {value if isinstance(value, str) and keyword != 'default' else _json(value)}"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _comment(text: str, tags: Iterable[str], margin: str) -> str:
    """`text` and `tags` as a comment of its own lines; nothing when there are none."""
    width = WIDTH - len(margin) - len(" * ")
    lines = [
        *textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False),
        *(f"@{tag}" for tag in tags),
    ]
    lines = [line.replace("*/", "*\\/") for line in lines]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{margin}/** {lines[0]} */\n"
    return f"{margin}/**\n" + "".join(f"{margin} * {line}\n" for line in lines) + f"{margin} */\n"
