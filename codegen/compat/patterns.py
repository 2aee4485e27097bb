"""Compare regular expressions by converting them to automata."""

from functools import cache
from typing import Final

from interegular import InvalidSyntax, Unsupported, parse_pattern
from interegular.fsm import FSM, anything_else

_NOTHING: Final = "(?!)"
"""Matches no text."""


def allows_all_of(wide: str, narrow: str) -> bool:
    """Whether every match of `narrow` also matches `wide`; False if unknown."""
    taken, given = _automaton(wide), _automaton(narrow)
    return taken is not None and given is not None and (given - taken).empty()


def text_of(pattern: str, but_not: str | None = None) -> str | None:
    """Shortest text that matches one pattern and not the other; None if none is found."""
    automaton, other = _automaton(pattern), _automaton(_NOTHING if but_not is None else but_not)
    if automaton is None or other is None:
        return None
    automaton -= other
    texts, waiting = {automaton.initial: ""}, [automaton.initial]
    for state in waiting:
        if state in automaton.finals:
            return texts[state]
        for transition, target in automaton.map.get(state, {}).items():
            if target not in texts:
                symbols = [
                    one for one in automaton.alphabet.by_transition[transition] if one != anything_else
                ]
                texts[target] = texts[state] + min(symbols, default="é")
                waiting.append(target)
    return None


@cache
def _automaton(pattern: str) -> FSM | None:
    """Automaton of texts that contain a match; None if unsupported."""
    first, last = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith(r"\$")
    inner = pattern[first : len(pattern) - last]
    before, after = ["" if anchored else r"[\s\S]*" for anchored in (first, last)]
    try:
        if (first or last) and len(parse_pattern(f"x{inner}").options) > 1:
            return None  # an anchor applies to one alternative only
        return parse_pattern(f"{before}(?:{inner}){after}").to_fsm()
    except (InvalidSyntax, Unsupported):
        return None
