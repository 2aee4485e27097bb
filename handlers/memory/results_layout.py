"""The Markdown of a search's results."""

from vcontract.generated.results.memory import MemorySearchResult, MemorySearchResultResultsEntry


def nothing_found() -> str:
    return "No conversations found"


def results_text(facts: MemorySearchResult) -> str:
    """The answer of `search` as a model reads it."""
    results = facts["results"]
    notes = facts.get("notes", [])
    if not results:
        return "\n".join((nothing_found(), *(("", *notes) if notes else ())))
    blocks = [_block(number, result) for number, result in enumerate(results, start=1)]
    return "\n\n".join((_heading(facts), *(["\n".join(notes)] if notes else []), *blocks))


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
        told = ", ".join(f"{_one_line(c['query'])} {c['score']:.2f}" for c in result["concepts"])
        lines.append(f"**Concepts:** {told}")
    where = f"exchange {result['exchange']} of {result['exchanges']}"
    lines.append(f"**Lines:** {result['line_start']}-{result['line_end']} ({where})")
    if "also_in" in result:
        lines.append("**Also in:** " + ", ".join(f"`{path}`" for path in result["also_in"]))
    return "\n".join(
        (*lines, "", f"Summary: {_one_line(result['summary'])}", "", f"> {result['snippet']}", "", "---")
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
