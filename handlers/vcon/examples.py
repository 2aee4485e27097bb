"""Examples: whole vCons to learn from, as they would be stored."""

from typing import Final

from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.handlers.vcon.base import VconToolset
from vcontract.runtime.context import ToolContext
from vcontract.runtime.vcon.shipped import shipped_yaml
from vcontract.runtime.vcon.yaml_text import dump_yaml

_FOLDER: Final = "examples"


class ExampleTools(VconToolset):
    """get_examples."""

    async def get_examples(
        self, params: models.GetExamplesParams, ctx: ToolContext, /
    ) -> results.GetExamplesResult:
        vcon = shipped_yaml(_FOLDER, f"{params.example_type}.yaml")["vcon"]
        return {
            "success": True,
            "example_type": params.example_type,
            "format": params.format,
            "vcon": dump_yaml(vcon) if params.format == "yaml" else vcon,
        }
