"""The rules of compatibility, as data: what may change, at which level, and what it means for whom."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Level: TypeAlias = Literal["ERR", "WARN", "INFO"]
Direction: TypeAlias = Literal["input", "output", "tool", "contract"]

LEVELS: Final[tuple[Level, ...]] = ("ERR", "WARN", "INFO")
"""From what blocks to what is only listed."""

MIRRORED_DIRECTIONS: Final[Mapping[Direction, Direction]] = {"input": "output", "output": "input"}

MIRRORED_ACTIONS: Final[Mapping[str, str]] = {
    one: other
    for pair in (
        ("added", "removed"),
        ("required", "optional"),
        ("declared", "undeclared"),
        ("widened", "narrowed"),
        ("set", "dropped"),
        ("tightened", "loosened"),
        ("closed", "opened"),
        ("raised", "lowered"),
        ("promised", "withdrawn"),
        ("changed", "changed"),
    )
    for one, other in (pair, pair[::-1])
}
"""An action, and the one that takes it back."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of change. Input is what callers send, output what they read."""

    id: str
    level: Level
    direction: Direction
    kind: str
    action: str
    purpose: str
    """What has changed."""
    effect: str
    """What that does, and to whom."""
    read_by_model: bool = False
    """Whether it changes only words: listed by itself, under "What the model reads"."""
    alone: str = ""
    """Why it has no mirror, in the other direction or for the opposite action; empty when it has both."""


def mirrors_of(rule: Rule) -> Iterator[tuple[Direction, str, str]]:
    """`(direction, kind, action)` of the rules that a complete set has beside `rule`."""
    if rule.direction in MIRRORED_DIRECTIONS:
        yield MIRRORED_DIRECTIONS[rule.direction], rule.kind, rule.action
    yield rule.direction, rule.kind, MIRRORED_ACTIONS[rule.action]


def _both(
    kind: str,
    action: str,
    levels: tuple[Level, Level],
    purpose: str,
    callers: str,
    readers: str,
    alone: tuple[str, str] = ("", ""),
) -> tuple[Rule, Rule]:
    """A rule of inputs and its mirror for outputs; of a pair, the first is for inputs."""
    return (
        _one("input", kind, action, levels[0], f"{purpose}.", callers, alone[0]),
        _one("output", kind, action, levels[1], f"{purpose}.", readers, alone[1]),
    )


def _one(
    direction: Direction,
    kind: str,
    action: str,
    level: Level,
    purpose: str,
    effect: str,
    alone: str = "",
    read_by_model: bool = False,
) -> Rule:
    name = f"{direction}-{kind}-{action}".replace(" ", "-")
    return Rule(name, level, direction, kind, action, purpose, effect, read_by_model, alone)


_ACCEPTED: Final = "Calls stay valid; more of them are."
_REFUSED: Final = "Calls that were valid are refused."
_FEWER: Final = "Readers meet nothing they did not expect."
_MISSED: Final = "readers miss what is no longer declared, so in an output it is a removed property"
_MORE: Final = "Readers meet values that the released contract excluded."

_SCHEMAS: Final = (
    *_both("optional property", "added", ("INFO", "INFO"), "A property may be there that was not declared",
           _ACCEPTED, "Readers ignore properties they do not know."),
    *_both("optional property", "removed", ("ERR", "WARN"), "An optional property is no longer declared",
           "Calls that send it are refused.", "Readers that use it when it is there no longer find it."),
    *_both("required property", "added", ("ERR", "INFO"), "A property is required that was not declared",
           "Calls without it, which is all of them until now, are refused.",
           "Readers ignore properties they do not know."),
    *_both("required property", "removed", ("ERR", "ERR"), "A required property is no longer declared",
           "Calls send it, because they had to, and are refused.",
           "Readers that rely on it no longer find it."),
    *_both("property", "required", ("ERR", "INFO"), "An optional property is now required",
           "Calls without it are refused.", "Readers find always what they found sometimes."),
    *_both("property", "optional", ("INFO", "ERR"), "A required property is now optional",
           _ACCEPTED, "Readers that rely on it may not find it."),
    *_both("type", "widened", ("INFO", "ERR"), "More types of value are allowed", _ACCEPTED, _MORE),
    *_both("type", "narrowed", ("ERR", "INFO"), "Fewer types of value are allowed", _REFUSED, _FEWER),
    *_both("type", "changed", ("ERR", "ERR"), "Other types of value are allowed", _REFUSED, _MORE),
    *_both("form", "added", ("INFO", "ERR"), "One more form of value is allowed", _ACCEPTED, _MORE),
    *_both("form", "removed", ("ERR", "INFO"), "One form of value less is allowed", _REFUSED, _FEWER),
    *_both("enum value", "added", ("INFO", "WARN"), "One more value is listed",
           _ACCEPTED, "Readers that have a case for each value lack one."),
    *_both("enum value", "removed", ("ERR", "INFO"), "A value is no longer listed",
           "Calls with this value are refused.", _FEWER),
    *_both("enum", "set", ("ERR", "INFO"), "Only listed values are allowed, where any was",
           "Calls with other values are refused.", _FEWER),
    *_both("enum", "dropped", ("INFO", "ERR"), "Any value is allowed, where only listed ones were",
           _ACCEPTED, _MORE),
    *_both("bound", "tightened", ("ERR", "INFO"), "A bound is tighter, or set for the first time",
           "Calls beyond the new bound are refused.", _FEWER),
    *_both("bound", "loosened", ("INFO", "ERR"), "A bound is looser, or gone", _ACCEPTED, _MORE),
    *_both("bound", "changed", ("ERR", "ERR"), "A bound is neither tighter nor looser, but another",
           _REFUSED, _MORE),
    *_both("pattern", "added", ("ERR", "INFO"), "Text must match a pattern",
           "Calls whose text does not match are refused.", _FEWER),
    *_both("pattern", "removed", ("INFO", "ERR"), "Text need not match a pattern any more", _ACCEPTED, _MORE),
    *_both("pattern", "changed", ("ERR", "ERR"), "Text must match another pattern", _REFUSED, _MORE),
    *_both("format", "added", ("ERR", "INFO"), "Text must have a format",
           "Calls whose text does not have it are refused.", _FEWER),
    *_both("format", "removed", ("INFO", "WARN"), "Text need not have a format any more",
           _ACCEPTED, "Readers that parse it may fail."),
    *_both("format", "changed", ("ERR", "WARN"), "Text must have another format",
           _REFUSED, "Readers that parse it may fail."),
    *_both("object", "closed", ("ERR", "INFO"), "An object allows no further properties any more",
           "Calls with properties of their own are refused.", _FEWER),
    *_both("object", "opened", ("INFO", "INFO"), "An object allows further properties",
           _ACCEPTED, "Readers ignore properties they do not know."),
    *_both("composition", "changed", ("WARN", "WARN"), "A schema is composed otherwise than can be decided",
           "Whether calls are refused must be judged by a person.",
           "Whether readers meet the unexpected must be judged by a person."),
    _one("input", "default", "changed", "WARN", "Another value stands for a parameter that is left out.",
         "Calls that leave it out mean something else.",
         alone="answers are complete: nothing is filled in by their readers, so outputs have no defaults"),
    *_both("open property", "declared", ("WARN", "WARN"),
           "A property is declared that was open to any name, and its values are not all of the former kind",
           "Calls that used its name for something else are refused.",
           "Readers that take all further properties for one kind meet another.",
           alone=("", _MISSED)),
    _one("input", "open property", "undeclared", "WARN", "An open object's property is no longer declared.",
         "Calls that send it stay valid, but nothing says any more what becomes of it.",
         alone=_MISSED),
)  # fmt: skip

_TOOLS: Final = (
    _one("tool", "tool", "added", "INFO", "There is a new tool.", "Nobody calls it yet."),
    _one("tool", "tool", "removed", "ERR", "A tool is gone.", "Calls of it are answered with an error."),
    _one("tool", "name", "changed", "INFO", "A tool has a new name, and its old one is an alias.",
         "Calls by the old name work; tools/list shows the new one."),
    _one("tool", "alias", "added", "INFO", "A tool answers to one more name.", _ACCEPTED),
    _one("tool", "alias", "removed", "ERR", "A tool no longer answers to an alias.",
         "Calls by that name are answered with an error."),
    _one("tool", "envelope", "changed", "ERR", "The answer has another envelope.",
         "Readers look for members that are not there; the answer's own members are not compared."),
    _one("tool", "stability", "lowered", "ERR", "A tool is less stable than was promised.",
         "Clients that rely on the promise lose it."),
    _one("tool", "stability", "raised", "INFO", "A tool is held to more than before.",
         "Clients may rely on it."),
    _one("tool", "read only", "withdrawn", "ERR", "A tool that only read may now write.",
         "Clients that run it without asking now change data."),
    _one("tool", "read only", "promised", "INFO", "A tool now only reads.", "Clients may run it unasked."),
    _one("tool", "not destructive", "withdrawn", "ERR", "A tool may now destroy data.",
         "Clients that run it without asking may lose data."),
    _one("tool", "not destructive", "promised", "INFO", "A tool no longer destroys data.",
         "Clients may run it with less care."),
    _one("tool", "idempotent", "withdrawn", "ERR", "Repeating a call is no longer without effect.",
         "Clients that repeat a call after a lost answer do its work twice."),
    _one("tool", "idempotent", "promised", "INFO", "Repeating a call is now without effect.",
         "Clients may repeat it."),
    _one("tool", "closed world", "withdrawn", "WARN", "A tool now reaches beyond the store.",
         "Clients that keep conversations inside may have to ask."),
    _one("tool", "closed world", "promised", "INFO", "A tool no longer reaches beyond the store.",
         "Clients may run it with less care."),
    _one("tool", "scope", "raised", "WARN", "A tool asks for a higher scope.",
         "Callers without that scope are refused."),
    _one("tool", "scope", "lowered", "INFO", "A tool asks for a lower scope.", "More callers may use it."),
    _one("tool", "error", "added", "WARN", "A tool may answer with one more error.",
         "Clients that have a case for each error lack one."),
    _one("tool", "error", "removed", "INFO", "A tool no longer answers with an error.",
         "Clients have a case too many."),
    _one("tool", "rate", "tightened", "WARN", "A tool is in a rate class that allows less.",
         "Callers at the old rate are told to wait."),
    _one("tool", "rate", "loosened", "INFO", "A tool is in another rate class that does not allow less.",
         "Callers at the old rate go on."),
    _one("tool", "toolset", "changed", "WARN", "A tool is in another toolset.",
         "Servers started with the old toolset alone no longer serve it."),
    _one("tool", "deprecation", "added", "INFO", "A tool is deprecated.", "Clients learn of its successor."),
    _one("tool", "deprecation", "removed", "INFO", "A tool is no longer deprecated.", "Clients may stay."),
    _one("tool", "title", "changed", "INFO", "A tool's title.", "People read it.", read_by_model=True),
    _one("tool", "description", "changed", "INFO", "A tool's description.",
         "A model chooses tools by it.", read_by_model=True),
    _one("tool", "example", "changed", "INFO", "A tool's example.",
         "describe_response_shape shows it.", read_by_model=True),
    _one("input", "description", "changed", "INFO", "The description of a parameter.",
         "A model fills it in by this.", read_by_model=True),
    _one("output", "description", "changed", "INFO", "The description of a member of the answer.",
         "A model reads the answer by it.", read_by_model=True),
)  # fmt: skip

_CONTRACT: Final = (
    _one("contract", "fault", "changed", "WARN", "An error is now the other side's fault.",
         "Clients that mend or report by it do the other thing."),
    _one("contract", "retryability", "changed", "WARN", "Whether a call may be repeated after an error.",
         "Clients that repeat by it stop, or start."),
    _one("contract", "rate", "tightened", "WARN", "A rate class allows less.",
         "Callers at the old rate are told to wait."),
    _one("contract", "rate", "loosened", "INFO", "A rate class allows more.",
         "Callers at the old rate go on."),
    _one("contract", "budget", "tightened", "WARN", "A limit of sizes or pages is tighter.",
         "Calls and answers that fitted may not fit."),
    _one("contract", "budget", "loosened", "INFO", "A limit of sizes or pages is looser.", _ACCEPTED),
    _one("contract", "policy", "changed", "INFO", "A number or list of the policy that no limit depends on.",
         "Results may differ; calls and answers keep their form."),
    _one("contract", "default toolset", "removed", "WARN", "A toolset is no longer served unasked.",
         "Servers started without options lose its tools."),
    _one("contract", "default toolset", "added", "INFO", "A toolset is now served unasked.",
         "Servers started without options have more tools."),
    _one("contract", "prefix", "changed", "WARN", "Names of a toolset's tools beside others.",
         "Calls by the other name fail where two toolsets share it."),
    _one("contract", "shape", "added", "INFO", "There is a new shape.",
         "Published types have one more name."),
    _one("contract", "shape", "removed", "WARN", "A shape is gone.",
         "Code that imports the published type of that name no longer compiles."),
    _one("contract", "shape name", "changed", "WARN", "A shape has a new name.",
         "Code that imports the published type by the old name no longer compiles."),
    _one("contract", "instructions", "changed", "INFO", "The server's instructions.",
         "A model reads them first.", read_by_model=True),
    _one("contract", "message", "changed", "INFO", "An error's message.",
         "A model reads it when a call fails.", read_by_model=True),
    _one("contract", "toolset text", "changed", "INFO", "A toolset's title or description.",
         "People choose toolsets by it.", read_by_model=True),
)  # fmt: skip

RULES: Final[Mapping[str, Rule]] = {rule.id: rule for rule in (*_SCHEMAS, *_TOOLS, *_CONTRACT)}
"""Every rule by id, in the order of the documentation."""


def rule_for(direction: Direction, kind: str, action: str) -> Rule:
    """The rule of this change. Raises: KeyError."""
    return RULES[f"{direction}-{kind}-{action}".replace(" ", "-")]
