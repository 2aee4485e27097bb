"""generated/upstream.json: the call forms of another server, for a server configured to accept them."""

from collections.abc import Iterator

from vcontract.codegen.documents import print_json
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    if contract.call_forms:
        yield OutputFile(
            "upstream.json",
            print_json(
                {
                    "forms": list(contract.call_forms),
                    "tools": list(contract.call_tools),
                    "not_served": list(contract.calls_not_served),
                }
            ),
        )
