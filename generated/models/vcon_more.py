"""Parameters of the tools of the `vcon_more` toolset.

Made from spec (sha256:4135b9d62f55f5276c1cf865c247e6955e8cb25c34cd6ce86080aa18f84a680f).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class AddPartyParams(Model):
    """Parameters of add_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    party: dict[str, Any]
    """Its members, as name, tel, mailto, role."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class AmendVconParams(Model):
    """Parameters of amend_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class HoldVconParams(Model):
    """Parameters of hold_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    reason: str
    """Why, as the matter's number."""


class ListHoldsParams(Model):
    """Parameters of list_holds."""

    model_config = ConfigDict(
        extra="forbid",
    )
    limit: int = 50
    """How many."""
    offset: int = 0
    """Passed over before."""


class RedactVconParams(Model):
    """Parameters of redact_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    rules: list[Literal["cards", "numbers", "emails", "addresses", "names"]] | MISSING = MISSING
    """numbers: telephone numbers; 7 to 17 digits such as order numbers go too."""
    words: list[str] | MISSING = MISSING
    """In any form."""
    patterns: list[str] | MISSING = MISSING
    """Regular expressions."""
    spans: list[RedactVconParamsSpansEntry] | MISSING = MISSING
    """Whose words go everywhere: characters of a text."""
    keep_media: bool = False
    """Keep what cannot be redacted."""
    keep_original: bool = True
    """false deletes it."""
    dry_run: bool = False
    """Only count."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RedactVconParamsSpansEntry(Model):
    """One entry of `spans` of RedactVconParams."""

    model_config = ConfigDict(
        extra="forbid",
    )
    path: str
    """As $.dialog[0].body."""
    start: int
    """The first character."""
    end: int
    """Behind the last one."""


class ReleaseHoldParams(Model):
    """Parameters of release_hold."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""


class RemoveAnalysisParams(Model):
    """Parameters of remove_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RemoveAttachmentParams(Model):
    """Parameters of remove_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """If indices point at it or behind it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RemoveDialogParams(Model):
    """Parameters of remove_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """If indices point at it or behind it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RemovePartyParams(Model):
    """Parameters of remove_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """If indices point at it or behind it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class SearchFilters(Model):
    """All must hold. Tags, dealer_id exactly, other text in part, party_tel by 3 digits; dates YYYY-MM-DD."""

    model_config = ConfigDict(
        extra="forbid",
    )
    subject: str | MISSING = MISSING
    """Part of it."""
    party_name: str | MISSING = MISSING
    """Words of a name."""
    party_email: str | MISSING = MISSING
    """Part of an address."""
    party_tel: str | MISSING = MISSING
    """3 digits or more of a number."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""
    version_of: str | MISSING = MISSING
    """A uuid: only what was made of this vCon by redacting or amending it."""
    versions: Literal["latest", "all"] | MISSING = MISSING
    """
    latest: leave out what a stored vCon amends, and what was redacted from a stored vCon. Default: all
    in vcon_search and beside version_of, else latest.
    """
    start_date: str | MISSING = MISSING
    """From: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Until; a bare day is included."""
    dealer_id: str | MISSING = MISSING
    """Exact id."""
    dealer_name: str | MISSING = MISSING
    """Part of a name."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Exact pairs."""


class SignVconParams(Model):
    """Parameters of sign_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    content_hashes: bool = False
    """First put a content_hash into each element with inline content."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdateAnalysisParams(Model):
    """Parameters of update_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    analysis: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdateAttachmentParams(Model):
    """Parameters of update_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    attachment: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdateDialogParams(Model):
    """Parameters of update_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    dialog: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


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


class VconAggregateParams(Model):
    """Parameters of vcon_aggregate."""

    model_config = ConfigDict(
        extra="forbid",
    )
    group_by: list[str]
    """As [month, "tag:department"]; in UTC."""
    top: int | MISSING = MISSING
    """Groups listed; else 10, fewer where names are long."""
    order: Literal["count", "key", "duration"] = "count"
    """Most vCons first, by key, or longest duration_seconds first."""
    filters: SearchFilters | MISSING = MISSING
    """As in vcon_search."""


class VconRelationsParams(Model):
    """Parameters of vcon_relations."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    max_nodes: int = 100
    """The nearest."""


class VconTrendsParams(Model):
    """Parameters of vcon_trends."""

    model_config = ConfigDict(
        extra="forbid",
    )
    period: Literal["day", "week", "month"] = "month"
    """In UTC."""
    periods: int = 3
    """How many, before filters.end_date or now."""
    filters: SearchFilters | MISSING = MISSING
    """As in vcon_search."""


class VerifyVconParams(Model):
    """Parameters of verify_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    external: bool = False
    """Also fetch what lies at a url, from the hosts that are allowed."""
