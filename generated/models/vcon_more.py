"""Parameters of the tools of the `vcon_more` toolset.

Made from spec/tools/vcon_more and the shapes it uses (sha256:eaefd7159ef3694d67b8345b80990af87540e8911b5f471b3c07a234d4b4cb17).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class UpdatePartyParams(Model):
    """Parameters of update_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    party: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
