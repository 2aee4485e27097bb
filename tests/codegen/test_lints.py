"""Every lint finds what it is for, at its file and line, and nothing else does."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from vcontract.codegen import emitters
from vcontract.codegen.lints import LINTS, STRUCTURAL
from vcontract.codegen.load import LOAD_CHECKS, load_spec
from vcontract.codegen.problems import Problem, SpecError
from vcontract.codegen.validate import problems_of

FIND = "spec/tools/notes/find_notes.yaml"
READ = "spec/tools/notes/read_note.yaml"
WRITE = "spec/tools/desk/write_note.yaml"
NOTE = "spec/shapes/note.yaml"
OTHER = "spec/shapes/other.yaml"
MIXINS = "spec/shapes/mixins.yaml"
TOOLSETS = "spec/toolsets.yaml"
ERRORS = "spec/errors.yaml"
POLICY = "spec/policy.yaml"
RESOURCES = "spec/resources.yaml"
PROMPTS = "spec/prompts.yaml"
APPS = "spec/apps.yaml"
APPS_LINE = "# yaml-language-server: $schema=meta/apps.schema.json\n"
APP = "- {name: %s, uri: 'ui://notes/%s', since: '1.0', title: A note, description: One note.}\n"
"""A view of a name, at a path."""

ATTIC = (
    "{id: attic, title: Attic, description: x, prefix: false, default: false, style: item, "
    "base_errors: [FAILED], codes: {invalid_arguments: FAILED, permission_denied: FAILED, "
    "rate_limited: FAILED, not_found: FAILED, "
    "too_large: FAILED, unavailable: FAILED, timeout: FAILED, serialization: FAILED, internal: FAILED}}"
)
"""A toolset without tools."""

PROJECT = "spec/project.yaml"
UPSTREAM = "spec/upstream.yaml"
UPSTREAM_LINE = "# yaml-language-server: $schema=meta/upstream.schema.json\n"

FORMAT = "spec/formats/log.yaml"

SHAPES_LINE = "# yaml-language-server: $schema=../meta/shapes.schema.json\n"


@dataclass(frozen=True)
class Edit:
    """In `file`, the first `old` becomes `new`; a file that is not there is made of `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Case:
    """A spec with one mistake, and the one finding that it must lead to."""

    lint: str
    edits: tuple[Edit, ...]
    at: str
    """Stands in the line that the finding names, and in no line before it."""
    says: str
    """Part of the finding's message."""
    found_in: str
    also: tuple[str, ...]
    """Lints that the same mistake breaks too."""


def case(lint: str, *edits: Edit, at: str, says: str, found_in: str = "", also: tuple[str, ...] = ()) -> Case:
    return Case(lint, edits, at, says, found_in or edits[0].file, also)


def log(name: str = "log", line: str = "(?P<text>.*)", of: str = "all") -> Edit:
    """A format of a text, with one version and an example of it."""
    return Edit(
        FORMAT,
        "",
        "# yaml-language-server: $schema=../meta/format.schema.json\n"
        f"name: {name}\ntitle: Log\ngot: x\nversions: [all]\nshape: lines\nrecognise: [{{}}]\n"
        f"line: '{line}'\nturns: [{{at: lines.*, text: [text]}}]\n"
        f"examples:\n  - of: {of}\n    file: a.log\n    content: a\n"
        "    becomes: [{began: '2024-03-05T10:00:00Z', said: [[a, b]]}]\n",
    )


def parameter(schema: str) -> Edit:
    """find_notes has the parameter `colour` with this schema, in place of `cursor`."""
    return Edit(
        FIND, "cursor: {type: string, description: page.next_cursor of the page before.}", f"colour: {schema}"
    )


def root(text: str) -> Edit:
    """The parameters of find_notes have `text` beside `required`."""
    return Edit(FIND, "  required: [word]\n", f"  required: [word]\n  {text}\n")


def description(text: str) -> Edit:
    return Edit(READ, "description: Read one note.", f"description: {text!r}")


def form(text: str) -> Edit:
    """The call forms of another server are this one."""
    return Edit(UPSTREAM, "", f"{UPSTREAM_LINE}forms:\n  - {text}\n")


CASES = [
    # emitters of the project
    case(
        "emitter-exists",
        Edit(PROJECT, "codegen.vcon.formats", "codegen.vcon.nothing"),
        at="- vcontract.codegen.vcon.nothing",
        says="the module vcontract.codegen.vcon.nothing cannot be imported",
    ),
    case(
        "emitter-exists",
        Edit(PROJECT, "codegen.vcon.formats", "codegen.problems"),
        at="- vcontract.codegen.problems",
        says="the module vcontract.codegen.problems has no EMITTER",
    ),
    # call forms of another server
    case(
        "upstream-tool",
        form("{call: jot, becomes: put_note}"),
        at="{call: jot",
        says="there is no tool 'put_note'",
    ),
    case(
        "upstream-argument",
        form("{call: jot, becomes: find_notes, add: {colour: red}}"),
        at="{call: jot",
        says="find_notes has no parameter 'colour'; it has: word, kind, labels, limit, cursor",
    ),
    case(
        "upstream-argument",
        form("{call: find_notes, by_value: {size: {small: {limit: 100}}}}"),
        at="{call: find_notes",
        says="limit: 100 is greater than the maximum of 50",
    ),
    case(
        "upstream-argument",
        form("{call: desk_write_note, gather: {into: text}}"),
        at="{call: desk_write_note",
        says="desk_write_note has no parameter 'text'",
    ),
    case(
        "upstream-keeps-declared",
        form("{call: find_notes, drop: [limit]}"),
        at="{call: find_notes",
        says="limit is a parameter of find_notes",
    ),
    case(
        "upstream-gain",
        form("{call: desk_write_note, gains: {id: {text: '{id}'}}}"),
        at="{call: desk_write_note",
        says="desk_write_note answers with id already",
    ),
    case(
        "upstream-gain",
        form("{call: desk_write_note, gains: {number: {member: nr}}}"),
        at="{call: desk_write_note",
        says="desk_write_note has no member 'nr' in its result",
    ),
    # formats
    case("format-pattern", log(line="(?P<text>"), at="line:", says="is not a regular expression: missing )"),
    case(
        "format-pattern", log(line="(?P<name>.*)"), at="line:", says="are ['name']; it needs one named text"
    ),
    case("format-name", log(name="logs"), at="name:", says="the file of 'logs' is spec/formats/logs.yaml"),
    case(
        "format-example",
        log(of="some"),
        at="versions:",
        says="the version 'all' needs an example",
        also=("format-example",),
    ),
    # documents
    case("yaml-syntax", Edit(FIND, "title: Find", "title: [Find"), at="description:", says="expected"),
    case(
        "yaml-syntax",
        Edit(FIND, "title: Find notes", "title: Find: notes"),
        at="title: Find: notes",
        says="mapping values are not allowed here; quote a text that has a colon in it",
    ),
    case(
        "yaml-syntax", Edit(FIND, "limit:", "7:"), at="7: {type", says="the key '7' is not a string; quote it"
    ),
    case("yaml-syntax", Edit(FIND, "title: Find", "title: !odd Find"), at="!odd", says="'!odd'"),
    case("yaml-syntax", Edit(FIND, "title: Find notes", "title: &a [*a]"), at="&a", says="contains itself"),
    case("yaml-syntax", Edit(OTHER, "", "# nothing\n"), at="# nothing", says="the file is empty"),
    case(
        "yaml-syntax",
        Edit(FIND, "title: Find", "title: Find\n\tx"),
        at="\tx",
        says="cannot start any token; write spaces instead",
    ),
    case(
        "yaml-syntax",
        Edit(FIND, "default: 5", "default: .inf"),
        at=".inf",
        says=".inf is not a number that every JSON reader holds",
    ),
    case(
        "yaml-syntax",
        Edit(FIND, "maximum: 50", "maximum: " + "9" * 5000),
        at="99999",
        says=f"{'9' * 20!r} is no int",
    ),
    case(
        "yaml-syntax",
        Edit(FIND, "maximum: 50", "maximum: 9007199254740993"),
        at="9007199254740993",
        says="at most 9007199254740991",
    ),
    case("yaml-syntax", Edit(FIND, "default: 5", "default: !!int five"), at="five", says="'five' is no int"),
    case(
        "yaml-syntax",
        Edit(FIND, "title: Find notes", 'title: "Find \\ud83d"'),
        at="ud83d",
        says="\\ud83d is half a character",
    ),
    case(
        "yaml-syntax",
        Edit(FIND, "title: Find notes", f"title: {'[' * 101}{']' * 101}"),
        at="[[[",
        says="values lie more than 100 deep in each other",
    ),
    case(
        "yaml-syntax",
        Edit(OTHER, "", f"a:\n  {'[' * 9000}"),
        at="a:",
        says="values lie more than 100 deep in each other",
    ),
    case(
        "yaml-duplicate-key",
        Edit(FIND, "title: Find notes", "title: A\ntitle: B"),
        at="title: B",
        says="the key 'title' stands here and in line 8",
    ),
    case(
        "json-syntax",
        Edit("spec/meta/tool.schema.json", '"title"', "title"),
        at="title",
        says="Expecting property name",
    ),
    case(
        "json-syntax",
        Edit("spec/meta/odd.schema.json", "", "[]"),
        at="[]",
        says="a schema file holds an object",
    ),
    case(
        "schema-line",
        Edit(FIND, "# yaml-language-server: $schema=", "# schema: "),
        at="# schema:",
        says="must be: # yaml-language-server: $schema=../../meta/tool.schema.json",
    ),
    case(
        "schema-line",
        Edit(FIND, "meta/tool.schema", "meta/shapes.schema"),
        at="# yaml-language-server",
        says="described by ../../meta/tool.schema.json, not by ../../meta/shapes.schema.json",
    ),
    case(
        "schema-line",
        Edit("spec/extra.yaml", "", "# yaml-language-server: $schema=meta/extra.schema.json\na: 1\n"),
        at="# yaml-language-server",
        says="there is no spec/meta/extra.schema.json",
    ),
    case(
        "meta-schema",
        Edit(FIND, "rate_class: search", "rate_class: search\ncolour: red"),
        at="colour: red",
        says="'colour' was unexpected",
    ),
    case(
        "meta-schema",
        Edit(FIND, "idempotent: true, ", ""),
        at="annotations:",
        says='annotations: "idempotent" is a required property',
    ),
    case(
        "meta-schema",
        Edit(NOTE, "description: The name.", "description: The name, whole."),
        at="The name, whole",
        says="('whole.' was unexpected); if it belongs to the text before it, quote the whole text",
    ),
    case(
        "meta-schema",
        Edit(WRITE, "{type: string, maxLength: 10", "{type: text, maxLength: 10"),
        at="{type: text",
        says="'text' is no type; a type is one of",
    ),
    case(
        "meta-schema",
        Edit("spec/meta/tool.schema.json", '"type": "object"', '"type": "objekt"'),
        at="{",
        says="this is no JSON Schema",
    ),
    case(
        "meta-schema",
        Edit(WRITE, "maxLength: 10", "maxlength: 10"),
        at="maxlength",
        says="properties.colours.items: Additional properties are not allowed ('maxlength' was unexpected)",
    ),
    case(
        "meta-schema",
        Edit(WRITE, "  envelope: success\n", "  envelope: success\n  item: {type: object}\n"),
        at="  item:",
        says="response.item: does not belong here",
    ),
    # references
    case(
        "reference-resolves",
        Edit(NOTE, '"#/$defs/Labels"', '"#/$defs/Lables"'),
        at="#/$defs/Lables",
        says="spec/shapes/note.yaml has no shape Lables; it has: Kind, Labels, Note",
    ),
    case(
        "reference-resolves",
        Edit(WRITE, 'note: {$ref: "../../shapes/note.yaml', 'note: {$ref: "../../shapes/nut.yaml'),
        at="nut.yaml",
        says="there is no file spec/shapes/nut.yaml",
    ),
    case(
        "reference-resolves",
        Edit(
            WRITE, 'note: {$ref: "../../shapes/note.yaml#/$defs/Note', 'note: {$ref: "../../shapes/note.yaml'
        ),
        at='note.yaml"',
        says="write <file>#/$defs/<Shape>",
    ),
    case(
        "reference-siblings",
        Edit(FIND, 'Kind", description', 'Kind", minLength: 3, description'),
        at="minLength: 3",
        says="minLength may not stand beside $ref",
    ),
    case(
        "reference-siblings",
        Edit(READ, 'Note"}', 'Note", x-document: true}'),
        at="x-document",
        says="x-document may not stand beside $ref",
    ),
    case(
        "reference-siblings",
        Edit(FIND, 'Kind", description', 'Kind", properties: {}, description'),
        at="properties: {}",
        says="properties may not stand beside $ref",
    ),
    case(
        "reference-ends",
        Edit(
            NOTE,
            "  Kind:\n    type: string\n    enum: [memo, letter]\n",
            '  Kind:\n    $ref: "#/$defs/Kind"\n',
        ),
        at='$ref: "#/$defs/Kind"\n',
        says="Kind -> Kind: this never ends",
    ),
    case(
        "reference-ends",
        Edit(NOTE, '{type: [string, "null"], desc', '{$ref: "#/$defs/Form", desc'),
        Edit(
            NOTE, "  Labels:\n", '  Form:\n    anyOf: [{type: string}, {$ref: "#/$defs/Form"}]\n  Labels:\n'
        ),
        at="anyOf: [{type: string}, {$ref",
        says="Form -> Form: this never ends; let a member or an entry refer to the shape",
    ),
    case(
        "reference-ends",
        Edit(NOTE, '{type: [string, "null"], desc', '{$ref: "#/$defs/Note", required: [id], desc'),
        at='{$ref: "#/$defs/Note", required',
        says="Note -> Note: this never ends",
    ),
    case(
        "shape-name-unique",
        Edit(OTHER, "", f"{SHAPES_LINE}$defs:\n  Labels: {{type: object, description: Other labels.}}\n"),
        Edit(
            WRITE,
            "    before: {",
            '    labels: {$ref: "../../shapes/other.yaml#/$defs/Labels"}\n    before: {',
        ),
        at="Labels:",
        says="Labels is the name of a shape in spec/shapes/note.yaml:8 too",
    ),
    case(
        "error-exists",
        Edit(READ, "errors: [NO_SUCH_NOTE]", "errors: [NO_SUCH_NOTE, NO_SUCH]"),
        at="NO_SUCH]",
        says="there is no error 'NO_SUCH'; there is: BAD_REQUEST, NO_SUCH_NOTE",
        also=("example-of-error",),
    ),
    case("error-exists", Edit(MIXINS, "[TOO_LARGE]", "[TOO_BIG]"), at="TOO_BIG", says="no error 'TOO_BIG'"),
    case(
        "error-exists",
        Edit(TOOLSETS, "base_errors: [BAD_REQUEST, FAILED]", "base_errors: [BAD_REQUEST, FAILED, LOST]"),
        at="LOST]",
        says="no error 'LOST'",
    ),
    case(
        "error-exists",
        Edit(TOOLSETS, "not_found: NO_SUCH_NOTE", "not_found: LOST"),
        at="LOST",
        says="no error 'LOST'",
    ),
    case(
        "mixin-exists",
        Edit(READ, "mixins: [budgeted]", "mixins: [budgeted, paged]"),
        at="mixins:",
        says="there is no mixin 'paged'; there is: budgeted",
    ),
    case(
        "rate-class-exists",
        Edit(READ, "rate_class: other", "rate_class: slow"),
        at="rate_class",
        says="there is no rate class 'slow'; there is: search, other",
    ),
    case(
        "toolset-exists",
        Edit(READ, "toolset: notes", "toolset: note"),
        at="toolset: note",
        says="there is no toolset 'note'; there is: notes, desk",
        also=("tool-path", "completion-owner"),
    ),
    case(
        "error-unused",
        Edit(
            ERRORS,
            "  FAILED:\n",
            "  LOST: {fault: server, retryable: false, message: It is lost.}\n  FAILED:\n",
        ),
        at="LOST:",
        says="no tool, mixin or toolset has LOST",
    ),
    case(
        "mixin-unused",
        Edit(MIXINS, "mixins:\n", "mixins:\n  dated: {params: {properties: {}}}\n"),
        at="dated:",
        says="no tool has the mixin dated",
    ),
    case(
        "rate-class-unused",
        Edit(POLICY, "  search:", "  slow: {limit: 1, window_seconds: 1}\n  search:"),
        at="slow:",
        says="no tool is of the class slow",
    ),
    case(
        "shape-unused",
        Edit(NOTE, "  Kind:\n", "  Old: {type: string, description: Old.}\n  Kind:\n"),
        at="Old:",
        says="nothing that is served refers to Old",
    ),
    case(
        "toolset-unused",
        Edit(TOOLSETS, "  - id: desk\n", f"  - {ATTIC}\n  - id: desk\n"),
        at="id: attic",
        says="no tool belongs to attic",
    ),
    # inputs
    case(
        "input-no-root-composition",
        root("anyOf: [{required: [word]}, {required: [kind]}]"),
        at="anyOf:",
        says="anyOf at the root",
    ),
    case(
        "input-no-root-composition",
        root("oneOf: [{required: [word]}]"),
        at="oneOf:",
        says="oneOf at the root",
    ),
    case(
        "input-no-root-composition",
        root("allOf: [{required: [word]}]"),
        at="allOf:",
        says="allOf at the root",
    ),
    case(
        "input-root-has-properties",
        Edit(
            MIXINS,
            "    params:\n      properties:\n        max",
            "    params:\n      x-document: true\n#        max",
        ),
        at="params:",
        says="the root has no properties",
    ),
    case(
        "input-array-has-items",
        parameter("{type: array, description: x}"),
        at="colour:",
        says="an array needs items",
    ),
    case(
        "input-no-definitions",
        parameter("{type: string, description: x, $defs: {A: {type: string}}}"),
        at="colour:",
        says="$defs would stay in the wire schema",
    ),
    case(
        "input-no-recursion",
        parameter('{$ref: "../../shapes/note.yaml#/$defs/Tree"}'),
        Edit(
            NOTE,
            "  Kind:\n",
            "  Tree:\n    type: object\n    description: x\n    additionalProperties: false\n"
            '    properties:\n      left: {$ref: "#/$defs/Tree"}\n  Kind:\n',
        ),
        at="left:",
        says="Tree -> Tree: an input cannot contain itself",
        found_in=NOTE,
    ),
    *(
        case(
            "input-no-forbidden-keyword",
            parameter(f"{{type: {kind}, description: x, {keyword}: {value}}}"),
            at=f"{keyword}:",
            says=f"{keyword} is not understood by every model API",
        )
        for keyword, kind, value in (
            ("oneOf", "string", "[{type: string}]"),
            ("allOf", "string", "[{type: string}]"),
            ("const", "string", "x"),
            ("exclusiveMinimum", "integer", "1"),
            ("exclusiveMaximum", "integer", "1"),
            ("if", "string", "{type: string}"),
            ("then", "string", "{type: string}"),
            ("else", "string", "{type: string}"),
            ("not", "string", "{type: string}"),
            ("examples", "string", "[x]"),
        )
    ),
    case(
        "input-no-forbidden-keyword",
        parameter("{type: array, description: x, items: {type: string}, uniqueItems: true}"),
        at="uniqueItems:",
        says="uniqueItems is not",
    ),
    case(
        "input-no-forbidden-keyword",
        parameter("{type: array, description: x, items: {type: string}, prefixItems: [{type: string}]}"),
        at="prefixItems:",
        says="prefixItems is not",
    ),
    case(
        "input-no-forbidden-keyword",
        parameter(
            "{type: object, description: x, additionalProperties: false, "
            "patternProperties: {a: {type: string}}}"
        ),
        at="patternProperties:",
        says="patternProperties is not",
    ),
    case(
        "input-no-type-list",
        parameter('{type: [string, "null"], description: x}'),
        at="colour:",
        says='the type is a list, ["string","null"]',
    ),
    case("input-no-empty-schema", parameter("{description: x}"), at="colour:", says="any value would fit"),
    case(
        "input-no-empty-schema",
        parameter("{type: array, description: x, items: {}}"),
        at="items: {}",
        says="any value would fit",
    ),
    case(
        "input-no-empty-schema",
        parameter("true"),
        at="colour: true",
        says="true as a schema",
        also=("input-property-description",),
    ),
    case(
        "input-no-empty-schema",
        Edit(WRITE, "additionalProperties: false", "additionalProperties: true"),
        at="additionalProperties",
        says="true as a schema",
    ),
    case(
        "input-enum-is-typed",
        parameter("{type: integer, enum: [1, 2], description: x}"),
        at="colour:",
        says="[1,2] are none",
    ),
    case(
        "input-enum-is-typed",
        parameter("{enum: [red], description: x}"),
        at="colour:",
        says="an enum has type: string",
    ),
    case(
        "input-enum-is-typed",
        parameter("{type: string, enum: [red, null], description: x}"),
        at="colour:",
        says="[null] are none",
    ),
    case(
        "input-property-name",
        Edit(WRITE, "colours:", "Colours:"),
        at="Colours:",
        says="the name 'Colours' does not match ^[a-z][A-Za-z0-9_]{0,63}$",
    ),
    case(
        "input-property-name",
        Edit(WRITE, "parts: {", "pa-rts: {"),
        at="pa-rts",
        says="the name 'pa-rts' does not match",
    ),
    case(
        "input-property-description",
        parameter("{type: string}"),
        at="colour:",
        says="colour has no description",
    ),
    case(
        "input-property-description",
        Edit(WRITE, ", default: memo, description: What sort of note it is.", ", default: memo"),
        at="kind: {",
        says="kind has no description",
    ),
    case(
        "input-default-validates",
        Edit(WRITE, "default: memo", "default: poem"),
        at="default: poem",
        says="the default does not fit",
    ),
    case(
        "input-default-validates",
        Edit(FIND, 'Kind", description', 'Kind", default: poem, description'),
        at="default: poem",
        says="the default does not fit",
    ),
    case(
        "input-object-is-closed",
        Edit(WRITE, "      additionalProperties: false\n", ""),
        at="options:",
        says="say what other members may be",
    ),
    case(
        "input-unlisted-can-be-missed",
        Edit(
            WRITE,
            "id: {type: string, description: Its name.}",
            "id: {type: string, description: x, x-unlisted: true}",
        ),
        at="x-unlisted",
        says="id is required",
    ),
    case(
        "input-unlisted-can-be-missed",
        Edit(
            WRITE,
            "    options:\n      type: object\n",
            "    options:\n      type: object\n      x-unlisted: true\n",
        ),
        at="x-unlisted",
        says="options is a tool's own parameter",
    ),
    # outputs
    case(
        "output-enum-growth",
        Edit(NOTE, "    x-grows: false\n", ""),
        at="enum:",
        says="say x-grows: true when new ones may come",
    ),
    case(
        "growth-declared",
        Edit(NOTE, "What sort of note it is.", "What sort of note it is; may grow."),
        at="description: What sort",
        says='"may grow" is no promise in words: say x-grows: true',
    ),
    case(
        "required-declared",
        Edit(READ, "required: [id]", "required: [id, name]"),
        at="required: [id, name]",
        says="name is required but is not among the properties",
        also=("example-params",),
    ),
    case(
        "required-declared",
        Edit(WRITE, "required: [id, note]", "required: [id, note, lost]"),
        at="lost]",
        says="lost is required",
        also=("example-response",),
    ),
    # names
    case(
        "tool-name",
        Edit(READ, "name: read_note", "name: readNote"),
        at="name: readNote",
        says="the name 'readNote' does not match",
        also=("tool-path", "resource-tool"),
    ),
    case(
        "tool-name",
        Edit(READ, "name: read_note", "name: import"),
        at="name: import",
        says="'import' is a Python keyword",
        also=("tool-path", "resource-tool"),
    ),
    case(
        "tool-path",
        Edit(READ, "name: read_note", "name: open_note"),
        at="name: open_note",
        says="a tool open_note of the toolset notes belongs in spec/tools/notes/open_note.yaml",
        also=("resource-tool",),
    ),
    case(
        "tool-name-unique",
        Edit(READ, "name: read_note", "name: desk_write_note"),
        at="name: desk_write_note",
        says="spec/tools/desk/write_note.yaml declares a tool desk_write_note too",
        also=("tool-path", "resource-tool"),
    ),
    case(
        "alias-is-free",
        Edit(FIND, "[search_notes]", "[search_notes, read_note]"),
        at="aliases:",
        says="read_note cannot be an alias: there is a tool read_note",
    ),
    case(
        "alias-is-free",
        Edit(READ, "title: Read", "aliases: [search_notes]\ntitle: Read"),
        at="aliases:",
        says="search_notes cannot be an alias: the tool find_notes has this alias",
    ),
    case(
        "alias-is-free",
        Edit(FIND, "[search_notes]", "[searchNotes]"),
        at="aliases:",
        says="'searchNotes' does not match",
    ),
    case(
        "deprecated-successor",
        Edit(FIND, "title: Find", 'deprecated: {since: "1.2", successor: seek_notes}\ntitle: Find'),
        at="successor:",
        says="there is no tool seek_notes",
    ),
    case(
        "deprecated-successor",
        Edit(FIND, "title: Find", 'deprecated: {since: "1.2", successor: read_note}\ntitle: Find'),
        Edit(READ, "title: Read", 'deprecated: {since: "1.2", successor: desk_write_note}\ntitle: Read'),
        at="successor:",
        says="read_note is itself deprecated",
    ),
    case(
        "class-name-unique",
        Edit(
            NOTE,
            "      author:\n",
            "      Author: {type: object, description: x, properties: {a: {type: string, description: x}}}\n"
            "      author:\n",
        ),
        at="id: notes",
        says="would both be the class NoteAuthor",
        found_in=TOOLSETS,
        also=("class-name-unique",),
    ),
    case(
        "class-name-unique",
        Edit(
            NOTE,
            "$defs:\n",
            "$defs:\n  ReadNoteError: {type: string, enum: [memo], description: Its fate.}\n",
        ),
        Edit(FIND, "#/$defs/Kind", "#/$defs/ReadNoteError"),
        at="toolsets:",
        says="two schemas would be published as ReadNoteError",
        found_in=TOOLSETS,
    ),
    # tools
    case(
        "description-first-sentence", description("reads a note."), at="description:", says="must stand alone"
    ),
    case(
        "description-first-sentence", description("Read one note"), at="description:", says="must stand alone"
    ),
    case(
        "description-first-sentence",
        description("It reads one note."),
        at="description:",
        says="must stand alone",
    ),
    case(
        "description-first-sentence", description(f"Read {'very ' * 40}well."), at="description:", says="160"
    ),
    case(
        "description-length",
        description(f"Read one note. {'Many words say little. ' * 80}"),
        at="description:",
        says="about 152 model tokens on average, 150 are allowed; this is the longest, about 437",
    ),
    case(
        "description-no-envelope",
        description("Read one note. The answer is {ok: true, item}."),
        at="description:",
        says="'{ok': envelopes are explained once",
    ),
    case(
        "annotations-agree",
        Edit(READ, "destructive: false", "destructive: true"),
        at="annotations:",
        says="a tool that only reads cannot be destructive",
    ),
    case(
        "annotations-agree",
        Edit(READ, "scope: read", "scope: write"),
        at="annotations:",
        says="read_only is false",
    ),
    case(
        "annotations-agree",
        Edit(WRITE, "scope: write", "scope: read"),
        at="annotations:",
        says="read_only is true",
    ),
    case(
        "mixin-clash",
        Edit(READ, "    id: {", "    max_response_bytes: {type: string, description: x}\n    id: {"),
        at="mixins:",
        says="the parameter max_response_bytes comes from budgeted and from the tool itself",
        also=("budget-agrees-with-policy",) * 3,
    ),
    case(
        "mixin-clash",
        Edit(
            READ,
            "  envelope: item\n",
            "  envelope: item\n  meta: {properties: {response_bytes: {type: integer, description: x}}}\n",
        ),
        at="mixins:",
        says="the member of meta response_bytes comes from budgeted and from the tool itself",
    ),
    case(
        "envelope-fits-toolset",
        Edit(TOOLSETS, "style: success", "style: item"),
        at="envelope: success",
        says="the envelope success has errors of style success, the toolset desk those of style item",
        found_in=WRITE,
    ),
    case(
        "toolset-codes-declared",
        Edit(TOOLSETS, "permission_denied: BAD_REQUEST", "permission_denied: NO_SUCH_NOTE"),
        at="permission_denied",
        says="permission_denied can befall every tool, so NO_SUCH_NOTE belongs to base_errors",
    ),
    case(
        "budget-agrees-with-policy",
        Edit(MIXINS, "default: 5000", "default: 6000"),
        at="max_response_bytes:",
        says="default must be 5000, as byte_budget in policy.yaml says",
    ),
    case(
        "promise-said",
        Edit(FIND, "rate_class: ", "promises: [oldest first]\nrate_class: "),
        at="promises: [",
        says="no description of this tool says 'oldest first'; change the promise with the words",
    ),
    case(
        "message-has-rule",
        Edit(FIND, "keyword: minLength", "keyword: maxLength"),
        at="keyword: maxLength",
        says="no schema at $.word has the keyword maxLength",
    ),
    case(
        "message-has-rule",
        Edit(FIND, "at: $.word", "at: $.wort"),
        at="at: $.wort",
        says="no schema at $.wort",
    ),
    case(
        "message-has-rule",
        Edit(FIND, "at: $.limit, keyword: too_large", "at: $.most, keyword: too_large"),
        at="at: $.most",
        says="no schema at $.most",
    ),
    case(
        "message-has-rule",
        Edit(
            FIND,
            "at: $.limit, keyword: too_large, message: Send a lower limit.",
            "at: $.wort, having: [a], message: No., details: {reason: no_word}, suggestion: Say a word.",
        ),
        at="at: $.wort",
        says="no schema at $.wort",
    ),
    case(
        "error-details-required",
        Edit(ERRORS, "There is no such note.", "There is no such note; send the reason."),
        Edit(
            ERRORS,
            "        id: {type: string, description: The id asked for.}",
            "        id: {type: string, description: It.}\n        reason: {type: string, description: Why.}",
        ),
        at="message: There is no such note",
        says="the message names reason, which details may lack",
    ),
    case(
        "error-details-required",
        Edit(ERRORS, "There is no such note.", "There is no such note; see details.nearest."),
        at="message: There is no such note",
        says="the message names nearest",
    ),
    case(
        "error-details-required",
        Edit(
            FIND,
            "at: $.limit, keyword: too_large, message: Send a lower limit.",
            "at: $.limit, keyword: too_large, message: Send details.limit.",
        ),
        at="at: $.limit",
        says="details.limit is named, and is not among the details",
    ),
    # examples
    case(
        "example-answer",
        Edit(WRITE, "    error: {code: BAD_REQUEST, details: {reason: no id}}\n", ""),
        at="name: nothing",
        says="a response, or an error, and not both",
    ),
    case(
        "example-name-unique",
        Edit(WRITE, "name: nothing", "name: a_letter"),
        at="name: a_letter\n    params: {note: {}}",
        says="two examples are named a_letter",
    ),
    case(
        "example-of-success",
        Edit(
            READ,
            "    response:\n      ok: true\n      item: {id: n1, kind: memo, author: {name: Ada}}\n"
            "      meta: {response_bytes: 97}\n",
            "    error: {code: FAILED}\n",
        ),
        at="examples:",
        says="no example succeeds",
    ),
    case(
        "example-of-error",
        Edit(READ, "code: NO_SUCH_NOTE, details: {id: n9}", "code: FAILED"),
        at="errors:",
        says="no example answers with NO_SUCH_NOTE",
    ),
    case(
        "example-params",
        Edit(WRITE, "options: {kind: letter}", "options: {kind: poem}"),
        at="kind: poem",
        says="options.kind:",
    ),
    case(
        "example-response",
        Edit(FIND, "kind: letter, score: 0.5", "kind: letter, score: high"),
        at="score: high",
        says="items.1.score:",
    ),
    case(
        "example-response-declared",
        Edit(READ, "item: {id: n1, kind: memo,", "item: {id: n1, kind: memo, mood: calm,"),
        Edit(READ, "response_bytes: 97", "response_bytes: 112"),
        at="mood: calm",
        says="mood is not declared in the response",
    ),
    case(
        "output-property-description",
        Edit(NOTE, "      author:\n", "      mood: {type: string}\n      author:\n"),
        at="mood:",
        says="mood has no description",
    ),
    case(
        "example-response",
        Edit(FIND, "next_cursor: null, count: 2", "count: 2"),
        at="page: {count: 2}",
        says='page: "next_cursor" is a required property',
    ),
    case(
        "example-response",
        Edit(READ, "  item: {$ref", "  list: {item: {type: string}}\n  item: {$ref"),
        Edit(READ, "      ok: true\n", "      ok: true\n      items: []\n      page: {next_cursor: null}\n"),
        Edit(READ, "response_bytes: 97", "response_bytes: 137"),
        at="response:\n      ok",
        says="fits more than one form",
    ),
    case(
        "example-error-declared",
        Edit(WRITE, "code: BAD_REQUEST", "code: TOO_LARGE"),
        at="code: TOO_LARGE",
        says="TOO_LARGE is not declared; this tool answers with: BAD_REQUEST, FAILED",
    ),
    case(
        "example-error-details",
        Edit(READ, "details: {id: n9}", "details: {id: 9}"),
        at="details: {id: 9}",
        says="id: 9 is not of type",
    ),
    case(
        "example-reason",
        Edit(ERRORS, "errors:\n", "reasons: {no_id: The note has no id.}\nerrors:\n"),
        at="reason: no id",
        says="errors.yaml has no reason 'no id'; did you mean no_id?",
        found_in=WRITE,
    ),
    case(
        "example-budget",
        Edit(READ, "params: {id: n1}", "params: {id: n1, max_response_bytes: 90}"),
        at="max_response_bytes: 90",
        says="max_response_bytes is 90, but the response takes 97 bytes",
        also=("example-params",),
    ),
    case(
        "example-response-bytes",
        Edit(READ, "response_bytes: 97", "response_bytes: 98"),
        at="response_bytes: 98",
        says="response_bytes is 98, but this response takes 97 bytes",
    ),
    # resources and prompts
    case(
        "resource-name",
        Edit(RESOURCES, "name: note\n", "name: newest\n"),
        at="name: newest\n    tool: read_note",
        says="two resources are named newest",
    ),
    case("resource-name", Edit(RESOURCES, "name: note\n", "name: pass\n"), at="name: pass", says="'pass'"),
    case(
        "resource-tool",
        Edit(RESOURCES, "tool: find_notes", "tool: find_note"),
        at="tool: find_note",
        says="there is no tool 'find_note'",
    ),
    case(
        "resource-tool",
        Edit(RESOURCES, "tool: find_notes", "tool: desk_write_note"),
        at="tool: desk_write_note",
        says="desk_write_note changes data",
    ),
    case(
        "resource-tool",
        Edit(RESOURCES, "tool: read_note", "tool: find_notes"),
        at='tool: find_notes\n    since: "1.1"\n    title: A note',
        says="find_notes answers no item",
    ),
    case(
        "resource-uri",
        Edit(RESOURCES, "/notes/{id}", "/notes/{id}/{page}"),
        at="/{page}",
        says="{page} is not among the params",
    ),
    case(
        "resource-uri",
        Edit(RESOURCES, '["/notes/{id}"]', '["/notes/{id}", "/notes/newest"]'),
        at='"/notes/newest"]',
        says="/notes/newest has the same form",
    ),
    case(
        "resource-uri",
        Edit(RESOURCES, "/newest/{limit}", "/newest/all"),
        Edit(RESOURCES, "/newest/2", "/newest/all"),
        at="limit: {type",
        says="no URI has {limit}",
    ),
    case(
        "resource-params",
        Edit(RESOURCES, "default: 5", "default: 500"),
        at="default: 500",
        says="the default 500 is not what limit may be",
    ),
    case(
        "resource-example",
        Edit(RESOURCES, "uri: /notes/newest/2", "uri: /notes/oldest/2"),
        at="uri: /notes/oldest/2",
        says="/notes/oldest/2 fits none",
    ),
    case(
        "resource-example",
        Edit(RESOURCES, "[{id: n1, kind: memo}]", "[{id: n1}]"),
        at="{notes: [{id",
        says='"kind" is a required property',
    ),
    case(
        "prompt-name",
        Edit(PROMPTS, "aliases: [summarise]", "aliases: [sum_up]"),
        at="aliases:",
        says="sum_up is the name of another prompt",
    ),
    case(
        "app-names",
        Edit(APPS, "", f"{APPS_LINE}apps:\n{APP % ('note', 'a')}{APP % ('other', 'a')}"),
        Edit(READ, "scope: read\n", "scope: read\nui: note\n"),
        Edit(FIND, "scope: read\n", "scope: read\nui: other\n"),
        at="name: other",
        says="another view has the uri ui://notes/a",
    ),
    case(
        "app-tools",
        Edit(READ, "scope: read\n", "scope: read\nui: note\n"),
        at="ui: note",
        says="there is no view 'note' in spec/apps.yaml; there is: none",
    ),
    case(
        "app-tools",
        Edit(APPS, "", f"{APPS_LINE}apps:\n{APP % ('note', 'a')}"),
        at="name: note",
        says="no tool names the view note in its `ui`",
    ),
    case(
        "prompt-toolset",
        Edit(PROMPTS, "toolset: notes", "toolset: note"),
        at="toolset: note",
        says="there is no toolset 'note'; there is: notes, desk",
        also=("completion-owner",),
    ),
    case(
        "prompt-tools",
        Edit(PROMPTS, "{find_notes}", "{find_note}"),
        at="say: [",
        says="there is no tool 'find_note'",
    ),
    case(
        "prompt-arguments",
        Edit(PROMPTS, "when: style", "when: colour"),
        at="{when: colour",
        says="there is no argument 'colour'; there is: subject, style",
    ),
    case(
        "prompt-arguments",
        Edit(PROMPTS, "name: style", "name: style, required: true"),
        Edit(PROMPTS, "name: subject, required: true", "name: subject"),
        at="- {name: style",
        says="required arguments come first",
    ),
    case(
        "prompt-arguments",
        Edit(PROMPTS, "name: style", "name: subject"),
        Edit(PROMPTS, "when: style", "when: subject"),
        at="- {name: subject, description: How.",
        says="two arguments are named subject",
    ),
    case(
        "completion-owner",
        Edit(PROMPTS, "toolset: notes", "toolset: desk"),
        at="- {name: subject",
        says="note_ids belongs to the toolset notes, not to desk",
    ),
]


def findings(root: Path) -> list[Problem]:
    try:
        return problems_of(load_spec(root))
    except SpecError as error:
        return error.problems


def apply(root: Path, edit: Edit) -> None:
    target = root / edit.file
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        target.write_text(edit.new)
        return
    text = target.read_text()
    assert edit.old in text, f"{edit.file} no longer has {edit.old!r}"
    target.write_text(text.replace(edit.old, edit.new, 1))


@pytest.mark.parametrize("mistake", CASES, ids=lambda mistake: f"{mistake.lint}: {mistake.says}")
def test_a_mistake_is_found_where_it_stands(project: Path, mistake: Case) -> None:
    for edit in mistake.edits:
        apply(project, edit)

    found = findings(project)

    text = (project / mistake.found_in).read_text()
    line = text[: text.index(mistake.at)].count("\n") + 1
    meant = [problem for problem in found if problem.id == mistake.lint]
    assert (meant[0].file, meant[0].line) == (mistake.found_in, line), found
    assert mistake.says in meant[0].message
    assert sorted(problem.id for problem in found) == sorted([mistake.lint, *mistake.also]), found


def test_the_good_spec_has_no_problem(project: Path) -> None:
    assert findings(project) == []


def test_a_missing_document_is_found(project: Path) -> None:
    (project / "spec" / "policy.yaml").unlink()

    assert [str(problem) for problem in findings(project)] == [
        "spec/policy.yaml:1: document-missing: the spec needs this file"
    ]


@pytest.mark.parametrize(
    ("file", "lint"), [(FIND, "yaml-syntax"), ("spec/meta/tool.schema.json", "json-syntax")]
)
def test_a_file_that_is_no_utf_8_is_named_with_its_line(project: Path, file: str, lint: str) -> None:
    lines = (project / file).read_bytes().split(b"\n")
    (project / file).write_bytes(b"\n".join([*lines[:6], b"caf\xe9", *lines[6:]]))

    assert [str(problem) for problem in findings(project)] == [
        f"{file}:7: {lint}: the byte 0xe9 is no UTF-8; save the file as UTF-8"
    ]


def test_a_byte_order_mark_and_a_folder_named_like_a_file_are_no_mistakes(project: Path) -> None:
    (project / FIND).write_bytes(b"\xef\xbb\xbf" + (project / FIND).read_bytes())
    (project / "spec" / "folder.yaml").mkdir()

    assert findings(project) == []


def test_every_lint_has_a_case_and_an_id_of_its_own(project: Path) -> None:
    tried = {mistake.lint for mistake in CASES} | {"document-missing"}
    lints = (*STRUCTURAL, *LINTS, *emitters.LINTS, *emitters.lints_of(load_spec(project)))
    ids = [*LOAD_CHECKS, *(lint.id for lint in lints)]

    assert sorted(tried) == sorted(ids)


def test_all_problems_come_at_once_and_sorted(project: Path) -> None:
    for edit in (
        Edit(READ, "rate_class: other", "rate_class: slow"),
        Edit(FIND, "score: 0.5", "score: high"),
        Edit(FIND, "toolset: notes", "toolset: notes\ncolour: red"),
        Edit(MIXINS, "default: 5000", "default: 6000"),
    ):
        apply(project, edit)

    found = findings(project)

    # find_notes does not fit its meta-schema, so its example is not looked at yet.
    assert [(problem.file, problem.id) for problem in found] == [
        (MIXINS, "budget-agrees-with-policy"),
        (FIND, "meta-schema"),
        (READ, "rate-class-exists"),
    ]


def test_a_mixins_parameter_may_be_required_by_the_tool(project: Path) -> None:
    apply(project, Edit(READ, "required: [id]", "required: [id, max_response_bytes]"))
    apply(project, Edit(READ, "params: {id: n1}", "params: {id: n1, max_response_bytes: 200}"))

    assert findings(project) == []


def test_a_prompt_without_arguments_has_steps_without_conditions(project: Path) -> None:
    text = (project / PROMPTS).read_text()
    arguments = text[text.index("    arguments:") : text.index("    task:")]
    apply(project, Edit(PROMPTS, arguments, "    arguments: []\n"))

    assert [problem.message for problem in findings(project)] == [
        "there is no argument 'style'; there is: none"
    ]


def test_params_of_an_error_example_need_not_fit(project: Path) -> None:
    apply(project, Edit(WRITE, "params: {note: {}}", "params: {note: 7, what: 8}"))

    assert findings(project) == []
