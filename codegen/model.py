"""The resolved contract, the input of every emitter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcontract.codegen.documents import JsonObject

Envelope: TypeAlias = Literal["item", "page", "success", "document"]
Style: TypeAlias = Literal["item", "success"]
Fault: TypeAlias = Literal["client", "server"]
Scope: TypeAlias = Literal["read", "write", "admin"]
Stability: TypeAlias = Literal["experimental", "beta", "stable"]


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One entry of spec/errors.yaml."""

    code: str
    fault: Fault
    retryable: bool
    message: str
    details: JsonObject
    """Schema of the error's details, one self-contained document."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A named schema of spec/shapes; its references to other shapes are `#/$defs/<Shape>`."""

    name: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class ExampleError:
    code: str
    details: JsonObject | None


@dataclass(frozen=True, slots=True)
class Example:
    """A call, and the response or the error that answers it."""

    name: str
    params: JsonObject
    response: JsonObject | None
    error: ExampleError | None


@dataclass(frozen=True, slots=True)
class Annotations:
    """Properties of a call that a client can rely on before making it."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A tool's own words for one violated rule of its input schema; `[]` in `at` is any entry of a list."""

    at: str
    keyword: str
    message: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tool's own error for an object at `at` with all members of `having`: it is another kind of object."""

    at: str
    having: tuple[str, ...]
    message: str
    details: JsonObject
    suggestion: str


@dataclass(frozen=True, slots=True)
class Deprecation:
    since: str
    successor: str = ""
    """The tool to use instead; empty if no tool replaces it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, complete: every schema is self-contained."""

    name: str
    key: str
    """Its name among the tools of all toolsets: with the toolset's prefix where there is one."""
    toolset: str
    group: str
    """Its group: the handlers of a group's tools are in one class."""
    title: str
    description: str
    stability: Stability
    since: str
    aliases: tuple[str, ...]
    deprecated: Deprecation | None
    annotations: Annotations
    scope: Scope
    rate_class: str
    promises: tuple[str, ...]
    """Words of descriptions that clients rely on, such as "newest first"."""
    envelope: Envelope
    has_text: bool
    """Whether a model reads a text made of its answer in place of the JSON."""
    budgeted: bool
    """Whether it takes `max_response_bytes`."""
    ui: str | None
    """The URI of the view that shows its answers inside a chat."""
    errors: tuple[str, ...]
    """Every code it may answer with, in the order of spec/errors.yaml."""
    input_schema: JsonObject
    """Schema that calls are validated against."""
    listed_schema: JsonObject
    """The short form in tools/list."""
    output_schema: JsonObject
    """As on the wire: success and error."""
    params_model: JsonObject
    """The parameters for a Python class: references to shapes kept."""
    result_model: JsonObject
    """The success object for a Python class: what the server fills in is optional, references kept."""
    success_forms: tuple[JsonObject, ...]
    """The success branches of `output_schema`, references to shapes kept; mostly one."""
    error_form: JsonObject
    """The error branch of `output_schema`."""
    examples: tuple[Example, ...]
    messages: tuple[InputMessage, ...]
    refuses: tuple[Refusal, ...]

    @property
    def success_example(self) -> JsonObject:
        """The response of the first example that succeeds; `example-of-success` sees that there is one."""
        return next(example.response for example in self.examples if example.response is not None)


ParameterType: TypeAlias = Literal["string", "integer"]


@dataclass(frozen=True, slots=True)
class ResourceParameter:
    """One variable of a resource's URIs."""

    name: str
    type: ParameterType
    schema: JsonObject
    required: bool
    """Whether every URI has it."""
    default: str | int | None
    complete: str | None
    """Source of completions."""


@dataclass(frozen=True, slots=True)
class ResourceExample:
    uri: str
    content: JsonObject


@dataclass(frozen=True, slots=True)
class Resource:
    """One content that a client can read, under one or more URIs."""

    name: str
    toolset: str
    """That of its tool."""
    tool: str
    """The key of the tool whose callers may read it."""
    since: str
    title: str
    description: str
    uris: tuple[str, ...]
    """Complete; `{name}` marks a parameter."""
    parameters: tuple[ResourceParameter, ...]
    content: JsonObject
    """Schema of what is read, one self-contained document."""
    content_form: JsonObject
    """The same, references to shapes kept."""
    example: ResourceExample | None

    @property
    def params_schema(self) -> JsonObject:
        """Schema of the URI's variables, as one object."""
        return {
            "type": "object",
            "properties": {parameter.name: parameter.schema for parameter in self.parameters},
            "required": [parameter.name for parameter in self.parameters if parameter.required],
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    description: str
    required: bool
    values: tuple[str, ...]
    complete: str | None


@dataclass(frozen=True, slots=True)
class PromptStep:
    """One step of a plan; `say` holds alternatives, of which the first possible one is said."""

    say: tuple[str, ...]
    when: str | None
    optional: bool


@dataclass(frozen=True, slots=True)
class Prompt:
    """A plan that a person can ask for by name."""

    name: str
    aliases: tuple[str, ...]
    toolset: str
    since: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    task: str
    steps: tuple[PromptStep, ...]


@dataclass(frozen=True, slots=True)
class App:
    """A view of answers inside a chat."""

    name: str
    uri: str
    since: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Toolset:
    id: str
    title: str
    description: str
    prefix: bool
    default_on: bool
    style: Style
    codes: Mapping[str, str]
    """Kind of fault met by dispatch, to the code that this toolset has for it."""
    instructions: str
    """When to use it, and the form of its results; sent to clients that see the toolset."""
    tools: tuple[Tool, ...]
    """Sorted by name."""

    @property
    def groups(self) -> Mapping[str, tuple[Tool, ...]]:
        """Its tools by group, both sorted by name."""
        names = sorted({tool.group for tool in self.tools})
        return {name: tuple(tool for tool in self.tools if tool.group == name) for name in names}


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    title: str
    version: str
    website: str
    icon: str
    """A data URI of an SVG image."""
    instructions: str


@dataclass(frozen=True, slots=True)
class DocumentSchema:
    """A version of a kind of document, as spec/<name>/<version>/<name>.schema.json has it."""

    name: str
    version: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Contract:
    """All that spec/ says, checked and resolved."""

    server: Server
    toolsets: tuple[Toolset, ...]
    resources: tuple[Resource, ...]
    """In the order of spec/resources.yaml."""
    prompts: tuple[Prompt, ...]
    """In the order of spec/prompts.yaml."""
    apps: tuple[App, ...]
    """In the order of spec/apps.yaml."""
    errors: tuple[ErrorCode, ...]
    reasons: Mapping[str, str]
    """Each `reason` in the details of an error, with its meaning."""
    shapes: Mapping[str, Shape]
    policy: JsonObject
    sizes: Mapping[str, JsonObject]
    """Measured bytes of responses, by key of the tool, from spec/sizes.yaml."""
    document_schemas: tuple[DocumentSchema, ...]
    """By name, from the oldest version to the latest."""
    documents: Mapping[str, tuple[JsonObject, ...]]
    """Documents for the project's emitters, by kind and then in the order of their paths."""
    emitters: tuple[str, ...]
    """Import paths of the project's emitters."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(tool for toolset in self.toolsets for tool in toolset.tools)

    @property
    def toolset_headings(self) -> Mapping[str, str]:
        """The title of each toolset by the key of its first tool, before which printed lists name it."""
        return {toolset.tools[0].key: toolset.title for toolset in self.toolsets if toolset.tools}

    def tools_of(self, app: App) -> tuple[str, ...]:
        """The keys of the tools whose answers the view shows, sorted."""
        return tuple(sorted(tool.key for tool in self.tools if tool.ui == app.uri))

    @property
    def completions(self) -> Mapping[str, str]:
        """Each source of values to offer, sorted, and the toolset whose handlers know it."""
        sources = {
            parameter.complete: resource.toolset
            for resource in self.resources
            for parameter in resource.parameters
            if parameter.complete
        } | {
            argument.complete: prompt.toolset
            for prompt in self.prompts
            for argument in prompt.arguments
            if argument.complete
        }
        return dict(sorted(sources.items()))

    def tool(self, key: str) -> Tool:
        return next(tool for tool in self.tools if tool.key == key)

    def error(self, code: str) -> ErrorCode:
        return next(error for error in self.errors if error.code == code)
