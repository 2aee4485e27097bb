"""The served contract: which tools exist, by which names, and which of them a caller sees."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from vcontract.runtime.frame.context import Caller, Scope, ServedToolset
from vcontract.runtime.frame.contract.package import ContractPackage
from vcontract.runtime.frame.contract.prompts import is_possible
from vcontract.runtime.frame.contract.registry import App, Tool, Toolset
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.nearest_names import nearest_names

ALL_TOOLSETS = "all"
_NAME = re.compile(r"\w+")
_MAX_VIEWS = 256
"""Maximum number of callers' views to cache. Beyond it, a view is built for each request."""


class UnknownSelection(ValueError):
    """A setting names a toolset or a tool that does not exist; the message lists what exists."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Tools that an operator wants to serve. Empty `toolsets` means the default ones; empty `tools` means
    all.
    """

    toolsets: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    read_only: bool = False
    left_out: frozenset[str] = frozenset()
    """Keys of tools that are not served, even if their toolset is."""


@dataclass(frozen=True, slots=True)
class ServedTool:
    """One tool and its served name."""

    name: str
    key: str
    """Key in the registry, also the name of its documents."""
    tool: Tool[Any]
    toolset: Toolset
    withheld: bool
    """Hidden because the server is read-only: never listed, and rejected when called."""


class Catalogue:
    """The tools that a selection serves, in the order of tools/list.

    Raises: UnknownSelection.
    """

    def __init__(self, package: ContractPackage, selection: Selection) -> None:
        self.package = package
        self.selection = selection
        self.read_only = selection.read_only
        self.enabled = _enabled_toolsets(package.toolsets, selection.toolsets)
        offered = _offer(package, self.enabled)
        names = _names_of(offered, selection.tools, "tools") or {served.name for served in offered}
        names -= _names_of(offered, selection.exclude_tools, "exclude_tools")
        self.served: tuple[ServedTool, ...] = tuple(
            replace(served, withheld=selection.read_only and not served.tool.read_only)
            for served in offered
            if served.name in names and served.key not in selection.left_out
        )
        self._by_name = _resolve_names(self.served)
        self._views: dict[tuple[frozenset[Scope], frozenset[str] | None], CallerContract] = {}

    def find(self, name: str) -> ServedTool | None:
        """Return the tool that `name` refers to: a served name, or an unambiguous own name or alias."""
        return self._by_name.get(name)

    def where_it_is(self, name: str) -> str | None:
        """Say which toolset has a tool that is not served; None if there is no such tool, or it is served."""

        def homes(keys: Iterable[str]) -> set[str]:
            tools = {key: self.package.tools[key] for key in keys}
            return {
                tool.toolset
                for key, tool in tools.items()
                if name in (key, key.removeprefix(f"{tool.toolset}_"), *tool.aliases)
            }

        found = homes(self.package.tools)
        if not found or homes(served.key for served in self.served if not served.withheld):
            return None
        toolsets = " or ".join(sorted(found))
        if found <= {toolset.id for toolset in self.enabled}:
            return f"It belongs to the toolset {toolsets}, of which this server leaves it out"
        return f"It belongs to the toolset {toolsets}, which is not served here: add it to --toolsets"

    def seen_by(self, caller: Caller) -> "CallerContract":
        """The contract as this caller sees it."""
        return self.seen_with(caller.scopes, caller.only)

    def seen_with(self, scopes: frozenset[Scope], only: frozenset[str] | None = None) -> "CallerContract":
        """The contract as a caller with these scopes sees it, restricted to the tools `only`."""
        view = self._views.get((scopes, only))
        if view is None:
            view = CallerContract(self, scopes, only)
            if len(self._views) < _MAX_VIEWS:
                self._views[scopes, only] = view
        return view

    def narrowed(self, toolsets: tuple[str, ...], tools: tuple[str, ...]) -> frozenset[str]:
        """Keys of the served tools in these toolsets that are among `tools`. Empty means all.

        Raises: UnknownSelection.
        """
        _refuse_unknown("toolsets", toolsets, [toolset.id for toolset in self.enabled])
        named = _names_of(self.served, tools, "tools")
        return frozenset(
            served.key
            for served in self.served
            if (not toolsets or served.toolset.id in toolsets) and (not named or served.name in named)
        )


class CallerContract:
    """The served contract as one caller sees it: only tools that it may use. Implements `ServedContract`."""

    def __init__(
        self, catalogue: Catalogue, scopes: frozenset[Scope], only: frozenset[str] | None = None
    ) -> None:
        self._catalogue = catalogue
        self._package = catalogue.package
        self._visible = tuple(
            served
            for served in catalogue.served
            if not served.withheld and served.tool.scope in scopes and (only is None or served.key in only)
        )

    @property
    def name(self) -> str:
        return self._package.identity.name

    @property
    def version(self) -> str:
        return self._package.identity.version

    @property
    def instructions(self) -> str:
        """Instructions that a client reads first: for the server and for each toolset with a visible tool.

        A line that names a hidden tool is left out.
        """
        absent = self._package.tools.keys() - self.names.keys()
        present = {served.toolset.id for served in self._visible}
        texts = [self._package.identity.instructions]
        texts += [toolset.instructions for toolset in self._catalogue.enabled if toolset.id in present]
        lines = (line for text in texts for line in text.splitlines())
        return "\n".join(
            _NAME.sub(lambda found: self.names.get(found[0], found[0]), line)
            for line in lines
            if absent.isdisjoint(_NAME.findall(line))
        )

    @property
    def read_only(self) -> bool:
        return self._catalogue.read_only

    @property
    def policy(self) -> JsonObject:
        return self._package.policy

    @property
    def tools(self) -> Mapping[str, JsonObject]:
        """Served name to contract document, in the order of tools/list."""
        return self._tools

    @cached_property
    def _tools(self) -> Mapping[str, JsonObject]:
        return {
            served.name: {**self._package.read_contract(served.key), "name": served.name}
            for served in self._visible
        }

    @property
    def shapes(self) -> Mapping[str, JsonObject]:
        """Served name to the payload of describe_response_shape, read on first use."""
        return self._shapes

    @cached_property
    def _shapes(self) -> Mapping[str, JsonObject]:
        return _Shapes(self._package, {served.name: served.key for served in self._visible})

    @property
    def resources(self) -> Mapping[str, JsonObject]:
        """Documents of the resources that this caller may read, by name (generated/resources/<name>.json)."""
        return self._resources

    @cached_property
    def _resources(self) -> Mapping[str, JsonObject]:
        return {
            name: self._package.read_resource(name)
            for name, resource in self._package.resources.items()
            if resource.tool in self.names
        }

    @property
    def prompts(self) -> Mapping[str, JsonObject]:
        """Documents of the prompts whose tools this caller has, by name (generated/prompts/<name>.json)."""
        return self._prompts

    @cached_property
    def _prompts(self) -> Mapping[str, JsonObject]:
        enabled = {toolset.id for toolset in self._catalogue.enabled}
        documents = {
            name: self._package.read_prompt(name)
            for name, prompt in self._package.prompts.items()
            if prompt.toolset in enabled
        }
        return {name: document for name, document in documents.items() if is_possible(document, self.names)}

    @cached_property
    def apps(self) -> Mapping[str, App]:
        """Views by URI, for the tools that this caller has."""
        return {
            uri: app for uri, app in self._package.apps.items() if not self.names.keys().isdisjoint(app.tools)
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Visible tools: registry key to served name."""
        return {served.key: served.name for served in self._visible}

    @property
    def digest(self) -> str:
        """`sha256:` and the hex digest of everything that this caller can see, as canonical JSON (RFC
        8785).
        """
        return self._digest

    @cached_property
    def _digest(self) -> str:
        import rfc8785  # not needed before a caller asks for the digest

        seen: JsonObject = {
            "instructions": self.instructions,
            "tools": list(self.tools.values()),
            "resources": list(self.resources.values()),
            "prompts": list(self.prompts.values()),
        }
        return "sha256:" + hashlib.sha256(rfc8785.dumps(seen)).hexdigest()

    @property
    def toolsets(self) -> list[ServedToolset]:
        """Every toolset of the package."""
        return self._toolsets

    @cached_property
    def _toolsets(self) -> list[ServedToolset]:
        enabled = {toolset.id for toolset in self._catalogue.enabled}
        return [
            {
                "id": toolset.id,
                "title": toolset.title,
                "enabled": toolset.id in enabled,
                "tools": [served.name for served in self._visible if served.toolset.id == toolset.id],
            }
            for toolset in self._package.toolsets
        ]

    def canonical_name(self, name: str) -> str | None:
        """Return the served name that `name` (a name or an alias) refers to, or None."""
        served = self._catalogue.find(name)
        return served.name if served in self._visible else None

    def nearest_names(self, name: str) -> list[str]:
        """Visible names similar to `name`, most similar first."""
        return nearest_names(name, [served.name for served in self._visible])


class _Shapes(Mapping[str, JsonObject]):
    """Response shapes by served name, each read on first use."""

    def __init__(self, package: ContractPackage, keys: Mapping[str, str]) -> None:
        self._package = package
        self._keys = keys
        self._read: dict[str, JsonObject] = {}

    def __getitem__(self, name: str) -> JsonObject:
        if name not in self._read:
            self._read[name] = {**self._package.read_shape(self._keys[name]), "tool_name": name}
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _enabled_toolsets(toolsets: Sequence[Toolset], wanted: tuple[str, ...]) -> tuple[Toolset, ...]:
    """The toolsets to serve, in the order of the contract."""
    if ALL_TOOLSETS in wanted:
        return tuple(toolsets)
    known = [toolset.id for toolset in toolsets]
    _refuse_unknown("toolsets", wanted, [*known, ALL_TOOLSETS])
    return tuple(toolset for toolset in toolsets if (toolset.id in wanted if wanted else toolset.default_on))


def _offer(package: ContractPackage, enabled: tuple[Toolset, ...]) -> tuple[ServedTool, ...]:
    """All tools of the enabled toolsets. Some toolsets add a prefix if others are enabled too."""
    alone = len(enabled) == 1
    return tuple(
        ServedTool(_served_name(tool, toolset, alone), key, tool, toolset, withheld=False)
        for toolset in enabled
        for key, tool in package.tools.items()
        if tool.toolset == toolset.id
    )


def _served_name(tool: Tool[Any], toolset: Toolset, alone: bool) -> str:
    return f"{toolset.id}_{tool.name}" if toolset.prefix and not alone else tool.name


def _resolve_names(served: Iterable[ServedTool]) -> dict[str, ServedTool]:
    """Map every accepted name to its tool: served names, and others that are unambiguous."""
    tools = tuple(served)
    others = [(name, tool) for tool in tools for name in _other_names(tool)]
    meanings = Counter(name for name, _ in others)
    resolved = {name: tool for name, tool in others if meanings[name] == 1}
    resolved.update({tool.name: tool for tool in tools})
    return resolved


def _other_names(served: ServedTool) -> set[str]:
    names = {served.tool.name, *served.tool.aliases}
    if served.toolset.prefix:
        names.add(f"{served.toolset.id}_{served.tool.name}")
    return names - {served.name}


def _names_of(offered: Sequence[ServedTool], wanted: tuple[str, ...], setting: str) -> set[str]:
    """Resolve a setting's names to served names."""
    resolved = _resolve_names(offered)
    _refuse_unknown(setting, wanted, [tool.name for tool in offered], understood=resolved)
    return {resolved[name].name for name in wanted}


def _refuse_unknown(
    setting: str, wanted: Sequence[str], known: Sequence[str], understood: Iterable[str] | None = None
) -> None:
    accepted = set(known if understood is None else understood)
    unknown = [name for name in wanted if name not in accepted]
    if unknown:
        raise UnknownSelection(
            f"{setting}: there is no {', '.join(map(repr, unknown))}; choose from {', '.join(known)}"
        )
