"""The generated contract and dispatch fit together: whatever goes wrong, an answer fits its schema."""

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel

from tests.sweep import sweep
from vcontract.generated.handlers import Handlers
from vcontract.generated.registry import TOOLS
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.dispatch import CallOutcome, Dispatcher
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import ContractPackage, load_package
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.ratelimit import RateClass, RateLimiter
from vcontract.runtime.frame.contract.registry import Tool
from vcontract.runtime.frame.documents.json import JsonObject

every_tool = sweep("tool", TOOLS.values(), ids=TOOLS)
KEYS = {(tool.toolset, tool.name): key for key, tool in TOOLS.items()}
CALLER = Caller("acme", frozenset({"read", "write", "admin"}))


class Failing:
    """Stands for every toolset; each of its methods fails."""

    def __getattr__(self, name: str) -> Any:
        async def fail(params: BaseModel, ctx: object) -> BaseModel:
            raise RuntimeError("hunter2")

        return self if name in {tool.toolset for tool in TOOLS.values()} else fail


@pytest.fixture(scope="module")
def generated() -> ContractPackage:
    return load_package()


@pytest.fixture(scope="module")
def valid_arguments(generated: ContractPackage) -> Callable[[Tool[Handlers]], JsonObject]:
    """The least arguments that a tool's input schema accepts."""

    def least(schema: JsonObject) -> Any:
        if "enum" in schema:
            return schema["enum"][0]
        if "anyOf" in schema:
            return least(schema["anyOf"][0])
        match schema.get("type"):
            case "object":
                properties = schema.get("properties", {})
                fewest = schema.get("minProperties", 0)
                names = schema.get("required", []) or list(properties)[:fewest]
                if fewest and not properties:
                    return {"key": least(schema["additionalProperties"])}
                return {name: least(properties[name]) for name in names}
            case "array":
                return [least(schema.get("items", {}))] * schema.get("minItems", 0)
            case "string":
                return "x" * schema.get("minLength", 1)
            case "boolean":
                return True
            case _:
                return schema.get("minimum", 1)

    def arguments(tool: Tool[Handlers]) -> JsonObject:
        found: JsonObject = least(generated.read_contract(KEYS[tool.toolset, tool.name])["inputSchema"])
        return found

    return arguments


async def outcome_of(
    generated: ContractPackage,
    tool: Tool[Handlers],
    arguments: JsonObject,
    caller: Caller = CALLER,
    rate_limiter: RateLimiter | None = None,
) -> CallOutcome:
    catalogue = Catalogue(generated, Selection(("all",)))
    dispatcher = Dispatcher(RequestScope(catalogue, lambda _: None, rate_limiter), Failing())
    outcome = await dispatcher.call(KEYS[tool.toolset, tool.name], arguments, caller)
    Draft202012Validator(generated.read_contract(KEYS[tool.toolset, tool.name])["outputSchema"]).validate(
        outcome.structured
    )
    return outcome


def code_of(outcome: CallOutcome) -> str:
    code: str = outcome.structured.get("error_code") or outcome.structured["error"]["code"]
    return code


def expected(generated: ContractPackage, tool: Tool[Handlers], kind: str) -> str:
    (toolset,) = (each for each in generated.toolsets if each.id == tool.toolset)
    return toolset.codes[kind]


@every_tool
@pytest.mark.failing_handlers
async def test_a_failing_handler_is_answered_with_the_toolsets_internal_code(
    generated: ContractPackage, tool: Tool[Handlers], valid_arguments: Callable[[Tool[Handlers]], JsonObject]
) -> None:
    outcome = await outcome_of(generated, tool, valid_arguments(tool))

    assert code_of(outcome) == expected(generated, tool, "internal")
    assert "hunter2" not in outcome.text


@every_tool
async def test_an_unknown_parameter_is_answered_with_the_toolsets_own_code(
    generated: ContractPackage, tool: Tool[Handlers], valid_arguments: Callable[[Tool[Handlers]], JsonObject]
) -> None:
    outcome = await outcome_of(generated, tool, {**valid_arguments(tool), "no_such_parameter": 1})

    assert code_of(outcome) == expected(generated, tool, "invalid_arguments")
    assert "no_such_parameter" in outcome.text


@every_tool
async def test_a_missing_scope_is_answered_by_every_tool(
    generated: ContractPackage, tool: Tool[Handlers]
) -> None:
    outcome = await outcome_of(generated, tool, {}, Caller("acme", frozenset()))

    assert code_of(outcome) == expected(generated, tool, "permission_denied")


@every_tool
async def test_a_limit_is_answered_by_every_tool(
    generated: ContractPackage, tool: Tool[Handlers], valid_arguments: Callable[[Tool[Handlers]], JsonObject]
) -> None:
    rate_class = Policy.read(generated.policy).rate_classes[tool.rate_class]
    limiter = RateLimiter({tool.rate_class: RateClass(rate_class.name, 1, rate_class.window_seconds)})
    limiter.admit(CALLER, tool.rate_class)

    outcome = await outcome_of(generated, tool, valid_arguments(tool), rate_limiter=limiter)

    assert code_of(outcome) == expected(generated, tool, "rate_limited")


@every_tool
def test_a_tool_declares_what_its_size_can_lead_to(generated: ContractPackage, tool: Tool[Handlers]) -> None:
    assert expected(generated, tool, "too_large") in tool.errors or not tool.budgeted


def test_the_bounds_of_the_budget_are_those_of_the_input_schemas(generated: ContractPackage) -> None:
    budget = Policy.read(generated.policy).byte_budget

    bounds = {
        (schema["default"], schema["minimum"], schema["maximum"])
        for key, tool in generated.tools.items()
        if tool.budgeted
        for schema in [generated.read_contract(key)["inputSchema"]["properties"]["max_response_bytes"]]
    }

    assert bounds == {(budget.default, budget.minimum, budget.maximum)}
