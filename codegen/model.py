"""The contract, resolved: what every emitter prints from."""

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
    """What a client may assume of a call before it makes it."""

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
class Deprecation:
    since: str
    successor: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool, complete: every schema stands for itself."""

    name: str
    key: str
    """Its name among the tools of all toolsets: with the toolset's prefix where there is one."""
    toolset: str
    title: str
    description: str
    stability: Stability
    since: str
    aliases: tuple[str, ...]
    deprecated: Deprecation | None
    annotations: Annotations
    scope: Scope
    rate_class: str
    envelope: Envelope
    budgeted: bool
    """Whether it takes `max_response_bytes`."""
    errors: tuple[str, ...]
    """Every code it may answer with, in the order of spec/errors.yaml."""
    input_schema: JsonObject
    """As on the wire."""
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

    @property
    def success_example(self) -> JsonObject:
        """The response of the first example that succeeds; `example-of-success` sees that there is one."""
        return next(example.response for example in self.examples if example.response is not None)


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
    tools: tuple[Tool, ...]
    """Sorted by name."""


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
class VconSchema:
    """The JSON Schema of one version of the vCon syntax, as spec/vcon has it."""

    version: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Contract:
    """All that spec/ says, checked and resolved."""

    server: Server
    toolsets: tuple[Toolset, ...]
    errors: tuple[ErrorCode, ...]
    shapes: Mapping[str, Shape]
    policy: JsonObject
    vcon_schemas: tuple[VconSchema, ...]
    """From the oldest version to the latest."""
    digest: str
    """Changes when, and only when, the contract does: comments and layout of the files do not count."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(tool for toolset in self.toolsets for tool in toolset.tools)

    def error(self, code: str) -> ErrorCode:
        return next(error for error in self.errors if error.code == code)
