"""Parameters of the tools of the `vcon_more` toolset.

Made from spec.
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
    """UUID of the vCon."""
    party: dict[str, Any]
    """The party, with members such as name, tel, mailto, role."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class AmendVconParams(Model):
    """Parameters of amend_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class HoldVconParams(Model):
    """Parameters of hold_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    reason: str
    """Reason for the hold, such as a case number."""


class ListHoldsParams(Model):
    """Parameters of list_holds."""

    model_config = ConfigDict(
        extra="forbid",
    )
    limit: int = 50
    """Results per page."""
    offset: int = 0
    """Results to skip."""


class RedactVconParams(Model):
    """Parameters of redact_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    rules: list[Literal["cards", "numbers", "emails", "addresses", "names"]] | MISSING = MISSING
    """Kinds of text to remove. numbers: phone numbers, and any other number of 7 to 17 digits."""
    words: list[str] | MISSING = MISSING
    """Words to remove, in any case, with or without accents and separators."""
    patterns: list[str] | MISSING = MISSING
    """Regular expressions of text to remove."""
    spans: list[RedactVconParamsSpansEntry] | MISSING = MISSING
    """Ranges of characters in a text. Their words are removed everywhere."""
    keep_media: bool = False
    """Keep media and links, which cannot be redacted."""
    keep_original: bool = True
    """false: delete the original."""
    dry_run: bool = False
    """Only count what would be removed."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
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
    """End, exclusive."""


class ReleaseHoldParams(Model):
    """Parameters of release_hold."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""


class RemoveAnalysisParams(Model):
    """Parameters of remove_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class RemoveAttachmentParams(Model):
    """Parameters of remove_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """What to do if indices refer to it or to later elements: refuse, or leave an empty element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class RemoveDialogParams(Model):
    """Parameters of remove_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """What to do if indices refer to it or to later elements: refuse, or leave an empty element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class RemovePartyParams(Model):
    """Parameters of remove_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """What to do if indices refer to it or to later elements: refuse, or leave an empty element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class Said(Model):
    """Phrases said."""

    model_config = ConfigDict(
        extra="forbid",
    )
    any: list[str] | MISSING = MISSING
    """Phrases, one of them said. In "quotes": not in other forms."""
    all: list[str] | MISSING = MISSING
    """Phrases, each said."""
    by: SaidBy | MISSING = MISSING
    """Who said it."""
    within: SaidWithin | MISSING = MISSING
    """When in the conversation."""


class SaidBy(Model):
    """Who said it."""

    model_config = ConfigDict(
        extra="forbid",
    )
    role: str | MISSING = MISSING
    """Role, such as agent."""
    name: str | MISSING = MISSING
    """Words of a name."""


class SaidWithin(Model):
    """When in the conversation."""

    model_config = ConfigDict(
        extra="forbid",
    )
    first_seconds: float | MISSING = MISSING
    """Turns that begin before."""
    last_seconds: float | MISSING = MISSING
    """Turns that end then."""


class SearchFilters(Model):
    """All must hold. Tags and dealer_id match exactly, other text in part. Dates: YYYY-MM-DD."""

    model_config = ConfigDict(
        extra="forbid",
    )
    subject: str | MISSING = MISSING
    """Part of the subject."""
    party_name: str | MISSING = MISSING
    """Whole words of a name; Andr* is a beginning."""
    party_email: str | MISSING = MISSING
    """Part of an address."""
    party_tel: str | MISSING = MISSING
    """3 or more digits."""
    party_role: str | MISSING = MISSING
    """Role of that party."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Its vendor."""
    attachment_type: str | MISSING = MISSING
    """Purpose or type."""
    events: SearchFiltersEvents | MISSING = MISSING
    """Kinds of events."""
    said: Said | MISSING = MISSING
    not_said: Said | MISSING = MISSING
    """Known unsaid."""
    repeat_within_days: int | MISSING = MISSING
    """Again within N days."""
    version_of: str | MISSING = MISSING
    """UUID: only its versions."""
    versions: Literal["latest", "all"] | MISSING = MISSING
    """latest: omit amended and redacted ones. Default: all in vcon_search and with version_of."""
    start_date: str | MISSING = MISSING
    """Began on or after: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Began up to this day."""
    dealer_id: str | MISSING = MISSING
    """Exact id."""
    dealer_name: str | MISSING = MISSING
    """Part of a name."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Exact pairs."""


class SearchFiltersEvents(Model):
    """Kinds of events."""

    model_config = ConfigDict(
        extra="forbid",
    )
    any: list[Literal["join", "drop", "hold", "unhold", "mute", "unmute", "keydown", "keyup", "consultation-start", "blind-transfer", "consultative-transfer", "transfer-abandoned", "transfer"]]
    """Kinds; transfer: blind or consultative."""
    start_date: str | MISSING = MISSING
    """Happened on or after: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Happened up to this date."""


class SignVconParams(Model):
    """Parameters of sign_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    content_hashes: bool = False
    """First add a content_hash to each element with inline content."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""


class UpdateAnalysisParams(Model):
    """Parameters of update_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    analysis: dict[str, Any]
    """Members to change. null removes a member."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: patch as in RFC 7396. replace: replace the whole element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""


class UpdateAttachmentParams(Model):
    """Parameters of update_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    attachment: dict[str, Any]
    """Members to change. null removes a member."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: patch as in RFC 7396. replace: replace the whole element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""


class UpdateDialogParams(Model):
    """Parameters of update_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    dialog: dict[str, Any]
    """Members to change. null removes a member."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: patch as in RFC 7396. replace: replace the whole element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""


class UpdatePartyParams(Model):
    """Parameters of update_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    party: dict[str, Any]
    """Members to change. null removes a member."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: patch as in RFC 7396. replace: replace the whole element."""
    vcon_uuid: str
    """UUID of the vCon."""
    index: int
    """Zero-based index in the array."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""


class VconAggregateParams(Model):
    """Parameters of vcon_aggregate."""

    model_config = ConfigDict(
        extra="forbid",
    )
    group_by: list[str]
    """Up to 3 groupings, such as [month, "tag:department"]. Times are in UTC."""
    top: int | MISSING = MISSING
    """Maximum number of groups. Default: 10, or fewer if names are long."""
    measures: list[str] | MISSING = MISSING
    """
    handle_seconds, talk_seconds, talk_share, longest_turn_seconds, silence_seconds, overlaps,
    hold_seconds, transfers, repeats:7 (days), tag:KEY, analysis:TYPE.path; with said: times_said,
    share.
    """
    order: Literal["count", "key", "duration", "words"] = "count"
    """count: most vCons first. duration: longest first. words: of speakers."""
    filters: SearchFilters | MISSING = MISSING
    """Conditions that all must hold, as in vcon_search."""


class VconRelationsParams(Model):
    """Parameters of vcon_relations."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    max_nodes: int = 100
    """Maximum number of vCons, nearest first."""


class VconTopicsParams(Model):
    """Parameters of vcon_topics."""

    model_config = ConfigDict(
        extra="forbid",
    )
    period: str | MISSING = MISSING
    """
    day, week or month: the last full one before filters.end_date or now. Or such as 2025-W42, 2025-10,
    2025-10-01/2025-10-14. Default: all.
    """
    compare_to: str | MISSING = MISSING
    """Another period. Default: the one before."""
    filters: SearchFilters | MISSING = MISSING
    """Conditions that all must hold, as in vcon_search."""


class VconTrendsParams(Model):
    """Parameters of vcon_trends."""

    model_config = ConfigDict(
        extra="forbid",
    )
    period: Literal["day", "week", "month"] = "month"
    """Length of a period, in UTC."""
    periods: int = 3
    """Number of periods, ending at filters.end_date or now."""
    filters: SearchFilters | MISSING = MISSING
    """Conditions that all must hold, as in vcon_search."""


class VerifyVconParams(Model):
    """Parameters of verify_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    external: bool = False
    """Also fetch and check external content, from allowed hosts only."""
