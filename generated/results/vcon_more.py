"""Results of the tools and contents of the resources of the `vcon_more` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class AddPartyResult(TypedDict):
    """The success of add_party."""

    success: Literal[True]
    message: str
    """What was done."""
    party_index: int
    """Its index in parties."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class AmendVconResult(TypedDict):
    """The success of amend_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """Uuid of the new version."""
    amends: str
    """Uuid of the version before."""
    updated_at: str
    """When the new version was made, RFC 3339 in UTC."""


class Counts(TypedDict):
    """Lengths of the four arrays."""

    parties: int
    """Number of parties."""
    dialog: int
    """Number of dialogs."""
    analysis: int
    """Number of analyses."""
    attachments: int
    """Number of attachments."""


class HintsEntry(TypedDict):
    """One entry of the shape Hints."""

    reason: str
    """
    nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has the first and the
    last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen, words_never_together,
    query_is_a_vcon (the suggestion fetches it), below_threshold, vectors_pending,
    demands_never_together, only_weak_matches (at most five are shown), date_in_query, field_in_query,
    part_of_a_number, no_wildcard, no_operator or words_joined (how a word of the query was read); may
    grow.
    """
    message: str
    """The same in a sentence."""
    filter: NotRequired[str]
    """The filter concerned."""
    nearest: NotRequired[list[dict[str, Any]]]
    """Known values that are close."""
    suggestion: NotRequired[dict[str, Any]]
    """Arguments to send instead of the same ones in the call, or another tool with its own."""


class HoldVconResult(TypedDict):
    """The success of hold_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    held_at: str
    """Since when, RFC 3339 in UTC."""


class ListHoldsResult(TypedDict):
    """The success of list_holds."""

    success: Literal[True]
    total: int
    """All that are held."""
    holds: list[ListHoldsResultHoldsEntry]
    """The latest first."""


class ListHoldsResultHoldsEntry(TypedDict):
    """One entry of `holds` of ListHoldsResult."""

    vcon_uuid: str
    """UUID of the vCon."""
    reason: str
    """Why."""
    held_by: str
    """Who said so, as the audit names callers."""
    held_at: str
    """Since when, RFC 3339 in UTC."""


class RedactVconResult(TypedDict):
    """The success of redact_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    uuid: NotRequired[str]
    """The uuid of the new version; absent when none was made."""
    redacted_from: str
    """The uuid of the original."""
    counts: dict[str, int]
    """How many times something was redacted, by kind."""
    changed: NotRequired[list[str]]
    """Paths of members and elements in which something is redacted, as $.dialog[0]."""
    removed: list[str]
    """Paths of elements whose content was removed as a whole."""
    original_deleted: bool
    """Whether the original is gone."""


class ReleaseHoldResult(TypedDict):
    """The success of release_hold."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    released: bool
    """Whether it was held."""


class RemoveAnalysisResult(TypedDict):
    """The success of remove_analysis."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in analysis."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class RemoveAttachmentResult(TypedDict):
    """The success of remove_attachment."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in attachments."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class RemoveDialogResult(TypedDict):
    """The success of remove_dialog."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in dialog."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class RemovePartyResult(TypedDict):
    """The success of remove_party."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in parties."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class SignVconResult(TypedDict):
    """The success of sign_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    algorithm: Literal["RS256", "ES256"]
    """That of the server's key; may grow."""
    signer: NotRequired[str]
    """Subject of the certificate beside the key; absent without one."""
    content_hashes: NotRequired[int]
    """Hashes that were added."""
    updated_at: str
    """The time of signing, RFC 3339 in UTC."""


class Signature(TypedDict):
    """The shape Signature."""

    status: Literal["verified", "unverified", "broken"]
    """What this one says; will not grow."""
    reason: Literal["trusted_certificate", "trusted_key", "algorithm_not_allowed", "certificate_not_trusted", "certificate_unreadable", "certificate_elsewhere", "no_trusted_key_fits", "signature_wrong", "signature_malformed", "too_many_signatures"]
    """Why; may grow."""
    algorithm: NotRequired[str]
    """RS256 or ES256."""
    signer: NotRequired[str]
    """Subject of its certificate, whether trusted or not."""
    detail: NotRequired[str]
    """More on the reason."""


class UpdateAnalysisResult(TypedDict):
    """The success of update_analysis."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its index in analysis."""
    changed: list[str]
    """Its members that changed."""
    previous: NotRequired[dict[str, Any]]
    """Their former values, but of members that are new; absent when nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdateAttachmentResult(TypedDict):
    """The success of update_attachment."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its index in attachments."""
    changed: list[str]
    """Its members that changed."""
    previous: NotRequired[dict[str, Any]]
    """Their former values, but of members that are new; absent when nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdateDialogResult(TypedDict):
    """The success of update_dialog."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its index in dialog."""
    changed: list[str]
    """Its members that changed."""
    previous: NotRequired[dict[str, Any]]
    """Their former values, but of members that are new; absent when nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdatePartyResult(TypedDict):
    """The success of update_party."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its index in parties."""
    changed: list[str]
    """Its members that changed."""
    previous: NotRequired[dict[str, Any]]
    """Their former values, but of members that are new; absent when nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class VconAggregateResult(TypedDict):
    """The success of vcon_aggregate."""

    success: Literal[True]
    vcons: int
    """All that the filters match, each once, exact."""
    parties: int
    """Different parties of all these, by name, else mailto, else tel."""
    timed: NotRequired[int]
    """vCons with a duration in at least one dialog; absent when none does."""
    duration_seconds: NotRequired[float]
    """The durations of the dialogs of these, added up, in seconds."""
    first: NotRequired[str]
    """The created_at of the oldest, RFC 3339 in UTC; absent when none match."""
    last: NotRequired[str]
    """That of the newest."""
    versions_left_out: NotRequired[int]
    """
    Earlier and redacted versions that are not counted; absent when none. filters.versions: all counts
    them.
    """
    ungrouped: int
    """vCons that are in no group, as they have no such tag, dealer or the like."""
    groups: list[VconAggregateResultGroupsEntry]
    """The first groups in the order asked for; a vCon with two parties is in the groups of both."""
    rest: VconAggregateResultRest
    """The groups that are not listed."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class VconAggregateResultGroupsEntry(TypedDict):
    """One entry of `groups` of VconAggregateResult."""

    key: list[str]
    """
    One value for each of group_by, to 256 characters: of a dealer the id, of a party or speaker the
    folded name, of a vcon the uuid, a week as 2025-W42 (ISO), an hour as Tue 09.
    """
    label: NotRequired[list[str]]
    """The same, with the dealer's name, the name as written, the vCon's subject; absent when alike."""
    vcons: int
    """vCons in it, exact."""
    parties: int
    """Different parties of these vCons."""
    timed: NotRequired[int]
    """vCons with a duration in at least one dialog."""
    duration_seconds: NotRequired[float]
    """The durations of the dialogs of these, added up, in seconds."""
    turns: NotRequired[int]
    """By speaker: how many turns they say in these vCons; duration_seconds is of turns then."""
    words: NotRequired[int]
    """By speaker: how many words, as white space parts them."""
    first: str
    """The created_at of the oldest."""
    last: str
    """That of the newest."""


class VconAggregateResultRest(TypedDict):
    """The groups that are not listed."""

    groups: int
    """How many."""
    vcons: int
    """Their vcons added up, so one in two of them counts twice."""


class VconRelationsResult(TypedDict):
    """The success of vcon_relations."""

    success: Literal[True]
    nodes: list[VconRelationsResultNodesEntry]
    """vCons, that which was asked for first."""
    edges: list[VconRelationsResultEdgesEntry]
    """What the source says of the target: that it was made of it, or that it belongs to its group."""
    truncated: bool
    """Whether there are more than max_nodes."""


class VconRelationsResultEdgesEntry(TypedDict):
    """One entry of `edges` of VconRelationsResult."""

    source: str
    """The uuid of the vCon that says so."""
    relation: str
    """amended, redacted or group; may grow."""
    target: str
    """The uuid that it names."""


class VconRelationsResultNodesEntry(TypedDict):
    """One entry of `nodes` of VconRelationsResult."""

    uuid: str
    """The vCon's uuid."""
    stored: bool
    """Whether it is here; another one only names it where it is not."""
    created_at: NotRequired[str]
    """Of one that is stored, RFC 3339 in UTC."""


VconTrendsResult = TypedDict(
    "VconTrendsResult",
    {
        "success": Literal[True],
        "from": str,
        "versions_left_out": NotRequired[int],
        "measures": list["VconTrendsResultMeasuresEntry"],
        "tags": list["VconTrendsResultTagsEntry"],
        "more_tags": int,
        "periods": list["VconTrendsResultPeriodsEntry"],
        "hints": NotRequired[list[HintsEntry]],
    },
)


class VconTrendsResultMeasuresEntry(TypedDict):
    """One entry of `measures` of VconTrendsResult."""

    name: str
    """What is counted; may grow."""
    now: int
    """In the span."""
    before: int
    """In the span before."""
    change: int
    """now less before."""
    growth: NotRequired[float]
    """change as a share of before, so 0.5 is half as many more; absent when before is 0."""


class VconTrendsResultPeriodsEntry(TypedDict):
    """One entry of `periods` of VconTrendsResult."""

    begins: str
    """Its first day."""
    vcons: int
    """vCons, by created_at."""
    dialogs: int
    """Their dialogs."""
    analyses: int
    """Their analyses."""
    attachments: int
    """Their attachments."""
    parties: int
    """Different parties."""


class VconTrendsResultTagsEntry(TypedDict):
    """One entry of `tags` of VconTrendsResult."""

    key: str
    """The tag key."""
    now: int
    """vCons with it in the span."""
    before: int
    """In the span before."""
    change: int
    """now less before."""
    growth: NotRequired[float]
    """change as a share of before; absent when before is 0."""


class VerifyVconResult(TypedDict):
    """The success of verify_vcon."""

    success: Literal[True]
    vcon_uuid: str
    """The vCon's uuid."""
    signature: VerifyVconResultSignature
    content_hashes: VerifyVconResultContentHashes


class VerifyVconResultContentHashes(TypedDict):
    """`content_hashes` of VerifyVconResult."""

    status: Literal["right", "wrong", "unchecked", "none"]
    """wrong when any is; none when no element has a hash; will not grow."""
    right: int
    """Hashes that fit."""
    wrong: list[str]
    """Paths of those that do not."""
    unchecked: list[VerifyVconResultContentHashesUncheckedEntry]
    """Those that were not checked; the first 50."""


class VerifyVconResultContentHashesUncheckedEntry(TypedDict):
    """One entry of `unchecked` of VerifyVconResultContentHashes."""

    path: str
    """The element."""
    reason: Literal["not_fetched", "algorithm_not_known", "no_content"]
    """Why; may grow."""


class VerifyVconResultSignature(TypedDict):
    """`signature` of VerifyVconResult."""

    status: Literal["verified", "unverified", "broken", "unsigned"]
    """broken: not what was signed. unverified: nothing trusted here vouches for it; will not grow."""
    message: str
    """What it means."""
    signatures: NotRequired[list[Signature]]
    """Each signature, the outermost first."""


class WarningsEntry(TypedDict):
    """One entry of the shape Warnings."""

    code: str
    """
    legacy_name, standard_base64, body_not_json, unsupported_critical, tag_ignored, would_violate,
    conversation_date_missing and others; may grow.
    """
    path: NotRequired[str]
    """Where in the vCon."""
    message: str
    """What it means."""
