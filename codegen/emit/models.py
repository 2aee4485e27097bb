"""generated/models and generated/results: the Python classes of what goes into a tool and what comes out."""

import json
from collections.abc import Iterator
from typing import Final

from datamodel_code_generator import generate
from datamodel_code_generator.config import GenerateConfig
from datamodel_code_generator.enums import DataModelType, InputFileType, TargetPydanticVersion
from datamodel_code_generator.format import Formatter, PythonVersion
from datamodel_code_generator.parser import LiteralType

from vcontract.codegen.documents import JsonObject
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract
from vcontract.codegen.model_objects import params_schemas, result_schemas
from vcontract.codegen.output import OutputFile

_AS_MODELS: Final = GenerateConfig(
    output_model_type=DataModelType.PydanticV2BaseModel,
    target_pydantic_version=TargetPydanticVersion.V2_14,
    base_class="vcontract.generated.models.base.Model",
    use_annotated=True,
    use_missing_sentinel=True,
    use_one_literal_as_default=True,
)
_OF_MODELS: Final = "Parameters of the tools"
_OF_RESULTS: Final = "Results of the tools and contents of the resources"
_AS_TYPED_DICTS: Final = GenerateConfig(output_model_type=DataModelType.TypingTypedDict)


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile("__init__.py", '"""Made from spec/ by codegen; run `make generate`, never edit."""\n')
    yield OutputFile(
        "models/__init__.py", '"""Pydantic models of the tools\' parameters, one module per toolset."""\n'
    )
    yield OutputFile("models/base.py", render("base.py.jinja"))
    yield OutputFile(
        "results/__init__.py",
        '"""Typed dicts of what tools answer and resources hold, one module per toolset."""\n',
    )
    for toolset in contract.toolsets:
        if toolset.tools:
            params = params_schemas(toolset, contract.shapes)
            yield _module(f"models/{toolset.id}.py", _OF_MODELS, toolset.id, params, _AS_MODELS)
            results = result_schemas(toolset, contract.resources, contract.shapes)
            yield _module(f"results/{toolset.id}.py", _OF_RESULTS, toolset.id, results, _AS_TYPED_DICTS)


def _module(
    path: str, what: str, toolset: str, classes: dict[str, JsonObject], form: GenerateConfig
) -> OutputFile:
    header = render("models_header.py.jinja", what=what, toolset=toolset)
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": classes}
    text = generate(json.dumps(schema), config=_config(form, header.rstrip("\n"), f"{toolset}.json"))
    if not isinstance(text, str):
        raise TypeError(f"the model generator answered {type(text).__name__} instead of one module")
    return OutputFile(path, text.rstrip("\n") + "\n")


def _config(form: GenerateConfig, header: str, name: str) -> GenerateConfig:
    """`form` with what holds for either form."""
    return form.model_copy(
        update={
            "input_filename": name,
            "input_file_type": InputFileType.JsonSchema,
            "target_python_version": PythonVersion.PY_311,
            "custom_file_header": header,
            "use_schema_description": True,
            "use_field_description": True,
            "use_single_line_docstring": True,
            "enum_field_as_literal": LiteralType.All,
            "use_double_quotes": True,
            "disable_timestamp": True,
            "formatters": [Formatter.BUILTIN],
            "builtin_format_line_length": 110,
            "strict_nullable": True,
            "collapse_root_models": True,
            "skip_root_model": True,
            "keep_model_order": True,
            "strict_refs": True,
        }
    )
