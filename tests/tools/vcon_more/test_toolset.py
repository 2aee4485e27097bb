"""The sixth toolset is there for those who ask for it, and changes nothing for all others."""

import pytest

from vcontract.generated.registry import TOOLS
from vcontract.runtime.frame.context import Scope
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package

ALL: frozenset[Scope] = frozenset({"read", "write", "admin"})
MORE = {tool.name for tool in TOOLS.values() if tool.toolset == "vcon_more"}


@pytest.mark.parametrize("toolsets", [(), ("vcon",), ("contract", "vcon", "memory", "session", "bridge")])
def test_its_tools_and_its_instructions_are_served_only_where_it_is_named(toolsets: tuple[str, ...]) -> None:
    without = Catalogue(load_package(), Selection(toolsets)).seen_with(ALL)
    named = (*(toolsets or ("contract", "vcon")), "vcon_more")
    with_it = Catalogue(load_package(), Selection(named)).seen_with(ALL)

    assert MORE
    assert not MORE & set(without.tools)
    assert set(with_it.tools) == {*without.tools, *MORE}
    assert "update_party" not in without.instructions
    assert with_it.instructions.startswith(without.instructions)
    assert without.digest != with_it.digest


def test_a_server_that_only_reads_has_none_of_its_writing_tools() -> None:
    served = Catalogue(load_package(), Selection(("vcon_more",), read_only=True)).seen_with(ALL)

    assert not [name for name in served.tools if TOOLS[name].scope == "write"]
