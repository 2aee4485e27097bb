"""Tag tools: set, read and remove tags of a vCon; list and search tags of all vCons."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import Conflict, ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.generated.results.contract import HintsEntry
from vcontract.handlers.contract.hints import hints, near_keys, unknown_tag_key
from vcontract.handlers.services import Services, Tools
from vcontract.handlers.vcon.listing import list_vcons, named_arrays
from vcontract.handlers.vcon.responses import (
    moment_of_change,
    not_found,
    note_change,
    read_uuid,
)
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted, path_of
from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO, Filters
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vcons.tags import TagStore
from vcontract.runtime.vcon.tags import (
    MAX_TAGS,
    TagValue,
    same_value,
    tag_columns,
    tag_key_problem,
    tag_value,
    tag_value_problem,
)

_PARAMETER: Final = "vcon_uuid"


class TagsTools(Tools):
    """The tag tools."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._tags = TagStore(services.vcons)

    async def add_tag(self, params: models.AddTagParams, ctx: ToolContext, /) -> results.AddTagResult:
        uuid = read_uuid(params.vcon_uuid, _PARAMETER)
        _check_key(params.key)
        value = _checked_value(params.value)
        async with self._database.writing(ctx.tenant) as connection:
            before = await self._locked(connection, ctx, uuid)
            previous = before.tags.get(params.key)
            is_other = previous is not None and not same_value(previous, value)
            if is_other and not params.overwrite:
                raise _tag_exists(params.key, previous)
            await self._put(connection, ctx, "add_tag", before, {**before.tags, params.key: value})
        is_set = previous is None or is_other
        result: results.AddTagResult = {
            "success": True,
            "message": f"Set the tag {params.key}."
            if is_set
            else f"No change: the tag {params.key} already has this value.",
            "key": params.key,
            "value": value,
        }
        if previous is not None:
            result["previous_value"] = previous
        return result

    async def get_tag(self, params: models.GetTagParams, ctx: ToolContext, /) -> results.GetTagResult:
        uuid = read_uuid(params.vcon_uuid, _PARAMETER)
        _check_key(params.key)
        tags = await self._read(ctx, uuid)
        exists = params.key in tags
        default: JsonValue = None if params.default_value is MISSING else params.default_value
        return {
            "success": True,
            "message": f"The vCon has {'the' if exists else 'no'} tag {params.key}.",
            "key": params.key,
            "value": tags[params.key] if exists else default,
            "exists": exists,
        }

    async def get_all_tags(
        self, params: models.GetAllTagsParams, ctx: ToolContext, /
    ) -> results.GetAllTagsResult:
        uuid = read_uuid(params.vcon_uuid, _PARAMETER)
        tags = await self._read(ctx, uuid)
        return {
            "success": True,
            "message": f"The vCon has {counted(len(tags), 'tag')}.",
            "vcon_uuid": str(uuid),
            "tags": tags,
            "count": len(tags),
        }

    async def remove_tag(
        self, params: models.RemoveTagParams, ctx: ToolContext, /
    ) -> results.RemoveTagResult:
        uuid = read_uuid(params.vcon_uuid, _PARAMETER)
        _check_key(params.key)
        async with self._database.writing(ctx.tenant) as connection:
            before = await self._locked(connection, ctx, uuid)
            kept = {key: value for key, value in before.tags.items() if key != params.key}
            await self._put(connection, ctx, "remove_tag", before, kept)
        removed = params.key in before.tags
        result: results.RemoveTagResult = {
            "success": True,
            "message": f"Removed the tag {params.key}." if removed else f"There was no tag {params.key}.",
            "key": params.key,
            "removed": removed,
        }
        if removed:
            result["previous_value"] = before.tags[params.key]
        return result

    async def update_tags(
        self, params: models.UpdateTagsParams, ctx: ToolContext, /
    ) -> results.UpdateTagsResult:
        uuid = read_uuid(params.vcon_uuid, _PARAMETER)
        given = _checked_tags(params.tags)
        if params.merge and not given:
            raise ValidationError(
                "tags is empty, so there is nothing to merge.",
                details={"parameter": "tags", "reason": "no_tags"},
                suggestions=["Name tags to set, or send merge: false to remove all tags."],
            )
        async with self._database.writing(ctx.tenant) as connection:
            before = await self._locked(connection, ctx, uuid)
            old = before.tags
            new = dict(sorted(({**old, **given} if params.merge else given).items()))
            await self._put(connection, ctx, "update_tags", before, new)
        added = [key for key in new if key not in old]
        updated = [key for key in new if key in old and not same_value(new[key], old[key])]
        removed = [key for key in old if key not in new]
        done = f"{counted(len(added), 'tag')} added, {len(updated)} updated, {len(removed)} removed."
        return {
            "success": True,
            "message": done,
            "vcon_uuid": str(uuid),
            "tags": new,
            "count": len(new),
            "added": added,
            "updated": updated,
            "removed": removed,
        }

    async def remove_all_tags(
        self, params: models.RemoveAllTagsParams, ctx: ToolContext, /
    ) -> results.RemoveAllTagsResult:
        uuid = read_uuid(params.vcon_uuid, _PARAMETER)
        async with self._database.writing(ctx.tenant) as connection:
            before = await self._locked(connection, ctx, uuid)
            await self._put(connection, ctx, "remove_all_tags", before, {})
        return {
            "success": True,
            "message": f"Removed {counted(len(before.tags), 'tag')}.",
            "vcon_uuid": str(uuid),
            "removed_count": len(before.tags),
        }

    async def search_by_tags(
        self, params: models.SearchByTagsParams, ctx: ToolContext, /
    ) -> results.SearchByTagsResult:
        wanted = {key: tag_columns(value)[0] for key, value in _checked_tags(params.tags).items()}
        components = ["parties"] if params.include_components is MISSING else params.include_components
        async with self._database.reading(ctx.tenant) as connection:
            filters = Filters(tags=tuple(wanted.items()))
            page = await self._search.newest(
                connection, ctx.tenant, filters, params.limit, offset=params.offset
            )
            vcons = await list_vcons(self._vcons, connection, ctx, page.ids, named_arrays(components))
            why = (
                []
                if vcons
                else await hints(connection, ctx.tenant, filters, self._vocabulary, is_further=page.total > 0)
            )
        total = min(page.total, COUNTED_TO)
        result: results.SearchByTagsResult = {
            "success": True,
            "message": f"{counted(total, 'vCon')} {'has' if total == 1 else 'have'} these tags.",
            "count": len(vcons),
            "tags_searched": wanted,
            "vcon_uuids": [str(uuid) for uuid in page.ids[: len(vcons)]],
            "vcons": vcons,
            "has_more": page.following is not None,
            "total": total,
        }
        if page.total > COUNTED_TO:
            result["message"] = f"More than {total} vCons have these tags."
            result["total_relation"] = "at_least"
        if why:
            result["hints"] = why
        return result

    async def get_unique_tags(
        self, params: models.GetUniqueTagsParams, ctx: ToolContext, /
    ) -> results.GetUniqueTagsResult:
        key_filter = None if params.key_filter is MISSING else params.key_filter
        async with self._database.reading(ctx.tenant) as connection:
            keys = await self._tags.in_use(connection, ctx.tenant, key_filter, params.min_count)
            tagged = await self._tags.count_tagged(connection, ctx.tenant)
            why = [] if keys else await self._why_no_keys(connection, ctx, key_filter, tagged)
        result: results.GetUniqueTagsResult = {
            "success": True,
            "message": f"{counted(len(keys), 'key')} {'is' if len(keys) == 1 else 'are'} in use.",
            "unique_keys": [found.key for found in keys],
            "unique_key_count": len(keys),
            "tags_by_key": {found.key: list(found.values) for found in keys},
            "total_vcons_with_tags": tagged,
        }
        if params.include_counts:
            result["counts_per_value"] = {found.key: found.values for found in keys}
        truncated = {found.key: found.distinct for found in keys if found.distinct > len(found.values)}
        if truncated:
            result["truncated_keys"] = truncated
        if why:
            result["hints"] = why
        return in_order(results.GetUniqueTagsResult, result)

    async def _why_no_keys(
        self, connection: Connection, ctx: ToolContext, key_filter: str | None, tagged: int
    ) -> list[HintsEntry]:
        """Explain why no tag key is listed."""
        if key_filter is not None and tagged:
            near = await near_keys(connection, ctx.tenant, key_filter, self._vocabulary)
            return [unknown_tag_key("key_filter", key_filter, near)]
        if tagged:
            message = "No value of a tag is on so many conversations; give a smaller min_count."
            return [{"reason": "value_not_seen", "message": message, "filter": "min_count"}]
        return [{"reason": "nothing_tagged", "message": "No conversation has a tag."}]

    async def _read(self, ctx: ToolContext, uuid: UUID) -> dict[str, TagValue]:
        async with self._database.reading(ctx.tenant) as connection:
            tags = await self._tags.get(connection, ctx.tenant, uuid)
        if tags is None:
            raise not_found(uuid)
        return tags

    async def _locked(self, connection: Connection, ctx: ToolContext, uuid: UUID) -> StoredVcon:
        vcon = await self._tags.lock(connection, ctx.tenant, uuid)
        if vcon is None:
            raise not_found(uuid)
        return vcon

    async def _put(
        self,
        connection: Connection,
        ctx: ToolContext,
        action: str,
        before: StoredVcon,
        tags: Mapping[str, TagValue],
    ) -> None:
        """Store tags if they changed; those of a signed vCon are stored separately."""
        if len(tags) > MAX_TAGS:
            raise ValidationError(
                f"The vCon would have {len(tags)} tags; at most {MAX_TAGS} fit.",
                details={"parameter": "tags", "reason": "too_many_tags", "limit": MAX_TAGS},
                suggestions=["Remove tags that are not needed any more with remove_tag."],
            )
        old = before.tags
        changed = [
            key
            for key in sorted(old.keys() | tags.keys())
            if not (key in old and key in tags and same_value(old[key], tags[key]))
        ]
        if not changed:
            return
        now = moment_of_change(before)
        await self._tags.put(connection, ctx.tenant, before, tags, now)
        await note_change(connection, ctx, action, before.uuid, now, {"changed": changed})


def _check_key(key: str) -> None:
    problem = tag_key_problem(key)
    if problem is not None:
        raise ValidationError(
            problem, details={"parameter": "key", "reason": "bad_tag_key", "value": key[:60]}
        )


def _checked_value(value: TagValue) -> TagValue:
    """Normalize a value: 1.0 becomes 1."""
    problem = tag_value_problem(value)
    if problem is not None:
        raise ValidationError(problem, details={"parameter": "value", "reason": "bad_tag_value"})
    return tag_value(*tag_columns(value))


def _checked_tags(tags: Mapping[str, TagValue]) -> dict[str, TagValue]:
    """Validate tags. Raises: ValidationError with every invalid one."""
    violations = [
        {"path": path_of(("tags", key)), "rule": "bad_tag", "message": problem}
        for key, value in tags.items()
        if (problem := tag_key_problem(key) or tag_value_problem(value))
    ]
    if violations:
        raise ValidationError(
            f"{violations[0]['path']}: {violations[0]['message']}",
            details={"reason": "bad_tag", "violations": violations[:100], "violation_count": len(violations)},
        )
    return {key: tag_value(*tag_columns(value)) for key, value in tags.items()}


def _tag_exists(key: str, value: TagValue | None) -> Conflict:
    return Conflict(
        f"The tag {key} has another value, and overwrite is false.",
        details={"reason": "tag_exists", "key": key, "existing_value": value},
        suggestions=["Send overwrite: true to replace it."],
    )
