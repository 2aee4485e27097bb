"""generated/errors.py: one exception class per error code."""

from collections.abc import Iterator

from vcontract.codegen import naming
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    errors = sorted(contract.errors, key=lambda error: error.code)
    entries = [{"class_name": naming.error_class(error.code), "error": error} for error in errors]
    yield OutputFile("errors.py", render("errors.py.jinja", entries=entries))
