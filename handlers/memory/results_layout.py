"""Format the results of a memory search as Markdown."""

from typing import Final

from vcontract.generated.results.memory import MemorySearchResult, MemorySearchResultResultsEntry

_LONG: Final = 20
"""Lines of an exchange from which the matching line is given."""


def nothing_found() -> str:
    return "No conversations found"


def results_text(facts: MemorySearchResult) -> str:
    """Text of the result of `search` for the model."""
    results = facts["results"]
    notes = facts.get("notes", [])
    if not results:
        return "\n".join((nothing_found(), *(("", *notes) if notes else ())))
    blocks = [_block(number, result) for number, result in enumerate(results, start=1)]
    follows = [f"Continue with offset: {facts['next_offset']}."] if "next_offset" in facts else []
    return "\n\n".join((_heading(facts), *(["\n".join(notes)] if notes else []), *blocks, *follows))


def _heading(facts: MemorySearchResult) -> str:
    total, returned = facts["total"], facts["returned"]
    noun = "conversation" if total == 1 else "conversations"
    count = f"{returned}" if returned == total else f"{returned} of {total}"
    return f"## Search Results ({count} {noun})"


def _block(number: int, result: MemorySearchResultResultsEntry) -> str:
    lines = [
        f"### {number}. [{_one_line(result['project'])}] - {result['date']}",
        f"**Path:** `{result['path']}`",
        f"**Score:** {result['score']:.2f}",
    ]
    if "concepts" in result:
        concepts = ", ".join(f"{_one_line(c['query'])} {c['score']:.2f}" for c in result["concepts"])
        lines.append(f"**Concepts:** {concepts}")
    where = f"exchange {result['exchange']} of {result['exchanges']}"
    lines.append(f"**Lines:** {result['line_start']}-{result['line_end']} ({where}){_matching_line(result)}")
    if "also_in" in result:
        lines.append("**Also in:** " + ", ".join(f"`{path}`" for path in result["also_in"]))
    more = [
        f"**Lines:** {one['line_start']}-{one['line_end']} (exchange {one['exchange']}, {one['score']:.2f})\n"
        f"> {one['snippet']}\n"
        for one in result.get("more", [])
    ]
    if left := result.get("more_exchanges", 0):
        more.append(f"{left} more of its exchanges match: send exchanges.\n")
    summary = f"Summary: {_one_line(result['summary'])}"
    return "\n".join((*lines, "", summary, "", f"> {result['snippet']}", "", *more, "---"))


def _matching_line(result: MemorySearchResultResultsEntry) -> str:
    """Position of the match in a long exchange."""
    is_long = result["line_end"] - result["line_start"] > _LONG
    return f", match at {result['match_line']}" if is_long and "match_line" in result else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
