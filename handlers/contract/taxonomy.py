"""vcon_taxonomy: the vocabulary of a tenant's vCons, with current counts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from vcontract.generated.results.contract import (
    CorpusEnd,
    ValueCount,
    VconTaxonomyResultItem,
    VconTaxonomyResultItemAnalysisTypesEntry,
    VconTaxonomyResultItemAttachmentTypesEntry,
    VconTaxonomyResultItemCorpus,
    VconTaxonomyResultItemPortalTaxonomyEntry,
    VconTaxonomyResultItemPreferredFieldsEntry,
)
from vcontract.handlers.services import Tools
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.newest import ListedVcon, ends
from vcontract.runtime.store.vcons.counts import Count, count, counts_of_values, most_used_values
from vcontract.runtime.vcon.times import format_time

MAX_TAG_KEYS: Final = 50
MAX_SAMPLES: Final = 10
MAX_ATTACHMENT_TYPES: Final = 100
MAX_VENDORS: Final = 10
MAX_VOCABULARY_VALUES: Final = 50
MAX_LISTED_VALUES: Final = 1_000
MIN_VCONS_PER_VALUE: Final = 2
PREFERRED_FROM: Final = 0.5

PORTAL: Final = "portal"
"""Tag key that always counts as a vocabulary."""

_WORDS: Final = "mode keyword, semantic or hybrid"
USES: Final[Mapping[str, str]] = {
    "subject": "filters.subject",
    "parties.name": "filters.party_name",
    "parties.mailto": "filters.party_email",
    "parties.tel": "filters.party_tel",
    "parties.role": "filters.party_role",
    "dialog": "include dialog",
    "dialog.text": _WORDS,
    "dialog.start": "include dialog",
    "analysis.summary": "include summary",
    "analysis.transcript": _WORDS,
    "tags": "filters.tags",
    "dealer": "filters.dealer_id, filters.dealer_name",
    "extensions": "include core",
}
"""Fields with usage counts, and the filter, include group or mode that uses each."""

EXTENSION_OF_PURPOSE: Final[Mapping[str, str]] = {
    "lawful_basis": "lawful_basis",
    "agent_file_change": "agent_session",
    "agent_artifact": "agent_session",
    "agent_environment": "agent_session",
    "agent_trace_cose_sign1": "agent_session",
    "scitt_receipt": "agent_session",
    "mcp_artifact": "mcp_session",
}
"""Extension that defines an attachment purpose."""


class Taxonomy(Tools):
    """Computes vcon_taxonomy."""

    async def item(self, tenant: str) -> VconTaxonomyResultItem:
        """Return the item of vcon_taxonomy, counted in one snapshot."""
        async with self._database.reading(tenant) as connection:
            counts = await count(
                connection,
                tenant,
                *(
                    "vcon",
                    "tag",
                    "distinct_values",
                    "value_type",
                    "attachment",
                    "analysis",
                    "vendor",
                    "field",
                ),
            )
            now = datetime.now(UTC)
            corpus_ends = await ends(connection, tenant)
            distinct = {each.name: each.vcons for each in counts["distinct_values"]}
            observed = self._observed(counts["tag"], distinct)
            common = counts["tag"][:MAX_TAG_KEYS]
            values = await most_used_values(
                connection, tenant, {each.name: MAX_SAMPLES for each in common} | observed
            )
            portal = {key: _vocabulary(values[key], declared=False) for key in observed}
            portal |= await self._declared(connection, tenant)
        (vcons,) = [each.vcons for each in counts["vcon"]] or [0]
        types = _details(counts["value_type"])
        corpus: VconTaxonomyResultItemCorpus = {
            "vcons": vcons,
            "computed_at": format_time(now),
            "exact": True,
        }
        if corpus_ends is not None:
            corpus["first"], corpus["last"] = map(end_document, corpus_ends)
        return {
            "portal_taxonomy": portal,
            "common_tag_keys": [
                {
                    "key": each.name,
                    "count": each.vcons,
                    "distinct_values": distinct[each.name],
                    "value_types": types[each.name],
                    "sample_values": _listed(values[each.name][:MAX_SAMPLES]),
                }
                for each in common
            ],
            "attachment_types": [
                self._attachment_type(each) for each in counts["attachment"][:MAX_ATTACHMENT_TYPES]
            ],
            "analysis_types": _analysis_types(counts["analysis"], counts["vendor"]),
            "preferred_fields": _fields(counts["field"], vcons),
            "corpus": corpus,
        }

    def _observed(self, keys: Iterable[Count], distinct: Mapping[str, int]) -> dict[str, int]:
        """Open keys that behave like a vocabulary, with the number of values to list."""
        open_keys = [each for each in keys if self._vocabulary.accepted(each.name) is None]
        found = {
            each.name: MAX_VOCABULARY_VALUES
            for each in open_keys
            if distinct[each.name] <= MAX_VOCABULARY_VALUES
            and each.vcons >= MIN_VCONS_PER_VALUE * distinct[each.name]
        }
        listed = dict(list(found.items())[:MAX_TAG_KEYS])
        if any(each.name == PORTAL for each in open_keys):
            listed[PORTAL] = MAX_LISTED_VALUES
        return listed

    async def _declared(
        self, connection: Connection, tenant: str
    ) -> dict[str, VconTaxonomyResultItemPortalTaxonomyEntry]:
        return {
            key: _vocabulary(await counts_of_values(connection, tenant, key, values), declared=True)
            for key, values in self._vocabulary.values.items()
        }

    def _attachment_type(self, purpose: Count) -> VconTaxonomyResultItemAttachmentTypesEntry:
        extension = EXTENSION_OF_PURPOSE.get(purpose.name)
        type_: VconTaxonomyResultItemAttachmentTypesEntry = {
            "type": purpose.name,
            "count": purpose.vcons,
            "recognised": extension is not None or purpose.name in self._context.dealers.purposes,
        }
        if extension:
            type_["extension"] = extension
        return in_order(VconTaxonomyResultItemAttachmentTypesEntry, type_)


def end_document(end: ListedVcon) -> CorpusEnd:
    """Format the oldest or newest vCon."""
    document: CorpusEnd = {"id": str(end.uuid), "created_at": format_time(end.created_at)}
    if end.began_at != end.created_at:
        document["began_at"] = format_time(end.began_at)
    return document


def _vocabulary(values: Iterable[Count], *, declared: bool) -> VconTaxonomyResultItemPortalTaxonomyEntry:
    return {
        "values": _listed(values),
        "closed": declared,
        "source": "declared" if declared else "observed",
    }


def _listed(values: Iterable[Count]) -> list[ValueCount]:
    return [{"value": each.name, "count": each.vcons} for each in values]


def _details(counts: Iterable[Count]) -> defaultdict[str, list[str]]:
    """Details by name, most vCons first."""
    details: defaultdict[str, list[str]] = defaultdict(list)
    for each in counts:
        details[each.name].append(each.detail)
    return details


def _analysis_types(
    types: list[Count], vendors: Iterable[Count]
) -> list[VconTaxonomyResultItemAnalysisTypesEntry]:
    named = _details(vendors)
    return [
        {"type": each.name, "count": each.vcons, "vendors": named[each.name][:MAX_VENDORS]}
        for each in types[:MAX_ATTACHMENT_TYPES]
    ]


def _fields(filled: Iterable[Count], vcons: int) -> list[VconTaxonomyResultItemPreferredFieldsEntry]:
    counts = {each.name: each.vcons for each in filled}
    fields: list[VconTaxonomyResultItemPreferredFieldsEntry] = []
    for field, use in USES.items():
        has = counts.get(field, 0)
        rate = has / vcons if vcons else None
        preferred = bool(vcons) and has >= PREFERRED_FROM * vcons
        fields.append(
            {
                "field": field,
                "fill_rate": rate,
                "filled": has,
                "of": vcons,
                "preferred": preferred,
                "use": use,
            }
        )
    return fields
