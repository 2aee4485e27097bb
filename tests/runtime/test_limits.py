"""Limits that the spec and the code both name are one."""

from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES


def test_the_largest_vcon_of_the_code_is_that_of_the_policy() -> None:
    assert load_package().policy["input_limits"]["vcon_bytes"] == MAX_VCON_BYTES


def test_a_search_without_a_limit_returns_as_many_as_the_policy_says() -> None:
    package = load_package()
    limit = package.read_contract("vcon_search")["inputSchema"]["properties"]["limit"]

    assert limit["default"] == package.policy["pages"]["default_limit"]
