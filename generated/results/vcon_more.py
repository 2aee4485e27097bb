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
    """Accepted input that you should check. Absent if empty."""


class AmendVconResult(TypedDict):
    """The success of amend_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """UUID of the new version."""
    amends: str
    """UUID of the previous version."""
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
    Nothing matches: nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has
    the first and the last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen,
    words_never_together, demands_never_together, not_by_speaker, below_threshold or vectors_pending.
    Weak matches only, at most five: only_weak_matches. The query is a UUID: query_is_a_vcon. How a word
    of the query was read: date_in_query, field_in_query, part_of_a_number, no_wildcard, no_operator or
    words_joined; may grow.
    """
    message: str
    """The reason in a sentence."""
    filter: NotRequired[str]
    """The filter that it is about."""
    nearest: NotRequired[list[dict[str, Any]]]
    """Similar known values."""
    suggestion: NotRequired[dict[str, Any]]
    """Arguments to send instead, or another tool with its arguments."""


class HoldVconResult(TypedDict):
    """The success of hold_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    held_at: str
    """Start of the hold, RFC 3339 in UTC."""


class ListHoldsResult(TypedDict):
    """The success of list_holds."""

    success: Literal[True]
    total: int
    """Number of vCons under legal hold."""
    holds: list[ListHoldsResultHoldsEntry]
    """Holds, newest first."""


class ListHoldsResultHoldsEntry(TypedDict):
    """One entry of `holds` of ListHoldsResult."""

    vcon_uuid: str
    """UUID of the vCon."""
    reason: str
    """Why."""
    held_by: str
    """Caller who set the hold, as named in the audit."""
    held_at: str
    """Start of the hold, RFC 3339 in UTC."""


class MeasuresEntry(TypedDict):
    """One entry of the shape Measures."""

    name: str
    """As requested."""
    known: int
    """Number of vCons for which it is known. share: including those that do not meet said or not_said."""
    unknown: int
    """Number of those without times, numbers or words for it."""
    total: NotRequired[float]
    """Sum of the known values. share, repeats: number of vCons."""
    mean: NotRequired[float]
    """Their mean. share, repeats: total / known."""
    median: NotRequired[float]
    """Their median."""
    share: NotRequired[float]
    """talk_share: of all talk of these vCons."""


class RedactVconResult(TypedDict):
    """The success of redact_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    uuid: NotRequired[str]
    """UUID of the new version. Absent if none was made."""
    redacted_from: str
    """The uuid of the original."""
    counts: dict[str, int]
    """Number of redactions by kind."""
    changed: NotRequired[list[str]]
    """Paths of redacted members and elements, such as $.dialog[0]."""
    removed: list[str]
    """Paths of elements whose content was removed as a whole."""
    original_deleted: bool
    """Whether the original was deleted."""


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
    """Its former index in analysis."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """Number of later elements that moved up by one."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class RemoveAttachmentResult(TypedDict):
    """The success of remove_attachment."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its former index in attachments."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """Number of later elements that moved up by one."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class RemoveDialogResult(TypedDict):
    """The success of remove_dialog."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its former index in dialog."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """Number of later elements that moved up by one."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class RemovePartyResult(TypedDict):
    """The success of remove_party."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Its former index in parties."""
    left_placeholder: bool
    """Whether an empty element replaces it."""
    moved: int
    """Number of later elements that moved up by one."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class SignVconResult(TypedDict):
    """The success of sign_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    algorithm: Literal["RS256", "ES256"]
    """Algorithm of the server's key; may grow."""
    signer: NotRequired[str]
    """Subject of the key's certificate. Absent without one."""
    content_hashes: NotRequired[int]
    """Hashes that were added."""
    updated_at: str
    """The time of signing, RFC 3339 in UTC."""


class Signature(TypedDict):
    """The shape Signature."""

    status: Literal["verified", "unverified", "broken"]
    """Result of checking this signature; will not grow."""
    reason: Literal["trusted_certificate", "trusted_key", "algorithm_not_allowed", "certificate_not_trusted", "certificate_unreadable", "certificate_elsewhere", "no_trusted_key_fits", "signature_wrong", "signature_malformed", "too_many_signatures"]
    """Why; may grow."""
    algorithm: NotRequired[str]
    """RS256 or ES256."""
    signer: NotRequired[str]
    """Subject of its certificate, even if it is not trusted."""
    detail: NotRequired[str]
    """Details of the reason."""


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
    """Former values of changed members. Absent if nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


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
    """Former values of changed members. Absent if nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


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
    """Former values of changed members. Absent if nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


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
    """Former values of changed members. Absent if nothing changed or they are too large."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class VconAggregateResult(TypedDict):
    """The success of vcon_aggregate."""

    success: Literal[True]
    vcons: int
    """Exact number of vCons that the filters match."""
    parties: int
    """Number of different parties, by name, otherwise mailto, otherwise tel."""
    timed: NotRequired[int]
    """Number of vCons with a known duration. Absent if none."""
    duration_seconds: NotRequired[float]
    """Total duration of their dialogs in seconds."""
    first: NotRequired[str]
    """When the earliest conversation began, RFC 3339 in UTC. Absent if none match."""
    last: NotRequired[str]
    """When the latest began."""
    versions_left_out: NotRequired[int]
    """Number of earlier and redacted versions that are not counted. filters.versions: all counts them."""
    said_unknown: NotRequired[int]
    """
    Number of vCons that match the other filters, but whose words, times or roles are too little known
    for said or not_said. They are not counted.
    """
    measures: NotRequired[list[MeasuresEntry]]
    """The requested measures. Of unknown values nothing is assumed."""
    ungrouped: int
    """Number of vCons in no group, for example without the tag."""
    groups: list[VconAggregateResultGroupsEntry]
    """The first groups in the requested order. A vCon with two parties is in the groups of both."""
    rest: VconAggregateResultRest
    """The groups that are not listed."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class VconAggregateResultGroupsEntry(TypedDict):
    """One entry of `groups` of VconAggregateResult."""

    key: list[str]
    """
    One value for each of group_by, up to 256 characters: ID of a dealer, lower-case name of a party or
    speaker, UUID of a vCon, 2025-W42 (ISO week), Tue 09 (hour).
    """
    label: NotRequired[list[str]]
    """
    Display names of key: the dealer's name (of several, each with its count), the name as written, the
    vCon's subject. Absent if equal to key.
    """
    vcons: int
    """Exact number of vCons in the group."""
    parties: int
    """Number of different parties."""
    timed: NotRequired[int]
    """Number of vCons with a known duration."""
    duration_seconds: NotRequired[float]
    """Total duration of their dialogs in seconds."""
    turns: NotRequired[int]
    """By speaker: number of turns. duration_seconds is then of turns."""
    words: NotRequired[int]
    """By speaker: number of words, separated by white space."""
    measures: NotRequired[list[MeasuresEntry]]
    """The requested measures. Of unknown values nothing is assumed."""
    first: str
    """When the earliest began."""
    last: str
    """When the latest began."""


class VconAggregateResultRest(TypedDict):
    """The groups that are not listed."""

    groups: int
    """Number."""
    vcons: int
    """Sum of their vcons. A vCon in two groups counts twice."""


class VconRelationsResult(TypedDict):
    """The success of vcon_relations."""

    success: Literal[True]
    nodes: list[VconRelationsResultNodesEntry]
    """The vCons, beginning with the requested one."""
    edges: list[VconRelationsResultEdgesEntry]
    """Relations: the source was made from the target, or the target belongs to its group."""
    truncated: bool
    """Whether there are more than max_nodes."""


class VconRelationsResultEdgesEntry(TypedDict):
    """One entry of `edges` of VconRelationsResult."""

    source: str
    """UUID of the vCon that states the relation."""
    relation: str
    """amended, redacted or group; may grow."""
    target: str
    """UUID that it refers to."""


class VconRelationsResultNodesEntry(TypedDict):
    """One entry of `nodes` of VconRelationsResult."""

    uuid: str
    """The vCon's uuid."""
    stored: bool
    """Whether it is stored here. If not, another vCon only refers to it."""
    created_at: NotRequired[str]
    """created_at of a stored vCon, RFC 3339 in UTC."""


class VconTopicsResult(TypedDict):
    """The success of vcon_topics."""

    success: Literal[True]
    period: VconTopicsResultPeriod
    """The period."""
    compared_with: NotRequired[VconTopicsResultComparedWith]
    """The period that it is compared with."""
    vcons: int
    """Grouped vCons of the period."""
    vcons_before: NotRequired[int]
    """Grouped vCons of the period that it is compared with."""
    topics: list[VconTopicsResultTopicsEntry]
    """Up to twelve topics."""
    without_vector: int
    """vCons of the period in no topic, because they are not embedded."""
    without_vector_before: NotRequired[int]
    """Those of the other period."""
    not_grouped: NotRequired[int]
    """Older vCons beyond the 20,000 that are grouped."""
    versions_left_out: NotRequired[int]
    """Number of earlier and redacted versions that are not counted. filters.versions: all counts them."""
    said_unknown: NotRequired[int]
    """
    Number of vCons that match the other filters, but whose words, times or roles are too little known
    for said or not_said. They are not counted.
    """
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


VconTopicsResultComparedWith = TypedDict(
    "VconTopicsResultComparedWith",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
    },
)


VconTopicsResultPeriod = TypedDict(
    "VconTopicsResultPeriod",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
    },
)


class VconTopicsResultTopicsEntry(TypedDict):
    """One entry of `topics` of VconTopicsResult."""

    words: list[str]
    """Up to five words that are frequent in it and rare elsewhere."""
    now: int
    """Number of vCons in the period."""
    before: NotRequired[int]
    """Number in the other period."""
    change: NotRequired[int]
    """now minus before."""
    growth: NotRequired[float]
    """change / before. Absent if before is 0: the topic is new."""
    examples: list[VconTopicsResultTopicsEntryExamplesEntry]
    """The three vCons nearest its centre, of the period if it has any."""


class VconTopicsResultTopicsEntryExamplesEntry(TypedDict):
    """One entry of `examples` of VconTopicsResultTopicsEntry."""

    id: str
    """ID of the vCon."""
    began_at: str
    """When it began."""
    subject: NotRequired[str]
    """Its subject, if any."""


VconTrendsResult = TypedDict(
    "VconTrendsResult",
    {
        "success": Literal[True],
        "from": str,
        "said_unknown": NotRequired[int],
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
    """Count in the newer span."""
    before: int
    """Count in the older span."""
    change: int
    """now minus before."""
    growth: NotRequired[float]
    """change / before: 0.5 means 50 % more. Absent if before is 0."""


class VconTrendsResultPeriodsEntry(TypedDict):
    """One entry of `periods` of VconTrendsResult."""

    begins: str
    """Its first day."""
    vcons: int
    """vCons, by when they began."""
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
    """Number of vCons with it in the newer span."""
    before: int
    """Count in the older span."""
    change: int
    """now minus before."""
    growth: NotRequired[float]
    """change / before. Absent if before is 0."""


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
    """wrong if any hash is wrong. none if no element has a hash; will not grow."""
    right: int
    """Number of correct hashes."""
    wrong: list[str]
    """Paths of wrong hashes."""
    unchecked: list[VerifyVconResultContentHashesUncheckedEntry]
    """The first 50 hashes that were not checked."""


class VerifyVconResultContentHashesUncheckedEntry(TypedDict):
    """One entry of `unchecked` of VerifyVconResultContentHashes."""

    path: str
    """The element."""
    reason: Literal["not_fetched", "algorithm_not_known", "no_content"]
    """Why; may grow."""


class VerifyVconResultSignature(TypedDict):
    """`signature` of VerifyVconResult."""

    status: Literal["verified", "unverified", "broken", "unsigned"]
    """
    broken: differs from what was signed. unverified: no trusted key or certificate made it; will not
    grow.
    """
    message: str
    """What it means."""
    signatures: NotRequired[list[Signature]]
    """Signatures, outermost first."""


class WarningsEntry(TypedDict):
    """One entry of the shape Warnings."""

    code: str
    """
    legacy_name, standard_base64, body_not_json, unsupported_critical, tag_ignored, would_violate,
    conversation_date_missing and others; may grow.
    """
    path: NotRequired[str]
    """Path in the vCon."""
    message: str
    """What it means."""
