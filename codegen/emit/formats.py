"""generated/formats.json: the formats that an import reads by declaration."""

from collections.abc import Iterator

from vcontract.codegen.documents import print_json
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    if contract.formats:
        yield OutputFile("formats.json", print_json(list(contract.formats)))
