"""generated/models/<toolset>.py: Pydantic models of parameters and results."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from datamodel_code_generator import generate
from datamodel_code_generator.config import GenerateConfig
from datamodel_code_generator.enums import DataModelType, InputFileType, TargetPydanticVersion
from datamodel_code_generator.format import Formatter, PythonVersion
from datamodel_code_generator.parser import LiteralType

from vcontract.codegen.documents import digest_of
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract, Shape, Toolset
from vcontract.codegen.modeling import class_schemas
from vcontract.codegen.output import OutputFile

_BASE_CLASS: Final = "vcontract.generated.models.base.Model"


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile("__init__.py", '"""Made from spec/ by codegen; run `make generate`, never edit."""\n')
    yield OutputFile("models/__init__.py", '"""Pydantic models of the tools, one module per toolset."""\n')
    yield OutputFile("models/base.py", render("base.py.jinja"))
    for toolset in contract.toolsets:
        if toolset.tools:
            yield _module(toolset, contract.shapes)


def _module(toolset: Toolset, shapes: Mapping[str, Shape]) -> OutputFile:
    classes = class_schemas(toolset, shapes)
    header = render("models_header.py.jinja", toolset=toolset, digest=digest_of(classes))
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": classes}
    text = generate(json.dumps(schema), config=_config(header.rstrip("\n"), f"{toolset.id}.json"))
    if not isinstance(text, str):
        raise TypeError(f"the model generator answered {type(text).__name__} instead of one module")
    return OutputFile(f"models/{toolset.id}.py", text.rstrip("\n") + "\n")


def _config(header: str, name: str) -> GenerateConfig:
    return GenerateConfig(
        input_filename=name,
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        target_pydantic_version=TargetPydanticVersion.V2_14,
        custom_file_header=header,
        base_class=_BASE_CLASS,
        use_annotated=True,
        use_schema_description=True,
        use_field_description=True,
        use_single_line_docstring=True,
        enum_field_as_literal=LiteralType.All,
        use_double_quotes=True,
        disable_timestamp=True,
        formatters=[Formatter.BUILTIN],
        builtin_format_line_length=110,
        strict_nullable=True,
        use_missing_sentinel=True,
        collapse_root_models=True,
        skip_root_model=True,
        use_one_literal_as_default=True,
        keep_model_order=True,
        strict_refs=True,
    )
