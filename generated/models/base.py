"""What every generated model has in common.

Made from codegen/templates/base.py.jinja.
Do not edit; run: make generate
"""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Written under the names of the contract; built when first used, so that imports stay cheap."""

    model_config = ConfigDict(serialize_by_alias=True, defer_build=True)
