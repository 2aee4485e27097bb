"""generated/vcon.schema.json: the JSON Schema of the latest vCon version, where a reader looks for it."""

from collections.abc import Iterator

from vcontract.codegen.documents import print_json
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    for latest in contract.vcon_schemas[-1:]:
        yield OutputFile("vcon.schema.json", print_json(latest.schema))
