"""The demo: import conversations and a coding session, and question them through a real client over stdio."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json

EXAMPLES = Path(__file__).parents[1] / "spec" / "examples"
SESSION = Path(__file__).with_name("demo_session.jsonl")
COMMAND = str(Path(sys.executable).with_name("vcontract"))
COLUMNS_WITHOUT_TERMINAL = 110


class DemoFailed(Exception):
    """Something did not answer as it should; the message says what was asked and what came back."""


def main() -> int:
    """Run the demo; 0 when every step answered as it should."""
    console = Console() if sys.stdout.isatty() else Console(width=COLUMNS_WITHOUT_TERMINAL)
    started = time.monotonic()
    try:
        with temporary_folder() as folder:
            import_examples(console, folder)
            asyncio.run(question(console, folder))
            import_session(console, folder / "memory")
            asyncio.run(remember(console, folder / "memory"))
            say_what_is_next(console, time.monotonic() - started)
    except DemoFailed as failure:
        return report(console, str(failure))
    except ExceptionGroup as group:  # the client's task group wraps what is raised inside it
        known, unknown = group.split((DemoFailed, MCPError))
        if known is None or unknown is not None:
            raise
        return report(console, "; ".join(str(failure) for failure in leaves(known)))
    return 0


def say_what_is_next(console: Console, seconds: float) -> None:
    """The last lines of a demo that went well."""
    console.rule()
    console.print(f"Done in {seconds:.1f} s. The temporary store of this demo is deleted now.")
    console.print("Your own conversations: [bold].venv/bin/vcontract import PATH[/], then see README.md.")


def report(console: Console, failure: str) -> int:
    """Say what went wrong; the exit code."""
    console.print(f"\n[bold red]The demo failed.[/] {escape(failure)}", highlight=False)
    return 1


def leaves(group: ExceptionGroup[Exception]) -> list[Exception]:
    """The exceptions in a group, those of groups within it too."""
    return [
        leaf
        for one in group.exceptions
        for leaf in (
            leaves(cast("ExceptionGroup[Exception]", one)) if isinstance(one, ExceptionGroup) else [one]
        )
    ]


@contextmanager
def temporary_folder() -> Generator[Path]:
    """A folder for the store and the files; removed at the end, the database stopped before."""
    with tempfile.TemporaryDirectory(prefix="vcontract-demo-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            yield folder
        finally:
            wait_until_database_stopped(folder)


def wait_until_database_stopped(folder: Path, patience: float = 10) -> None:
    """Return when no PostgreSQL runs below `folder`, or after `patience` seconds."""
    deadline = time.monotonic() + patience
    while any(folder.rglob("postmaster.pid")) and time.monotonic() < deadline:
        time.sleep(0.05)


def environment(folder: Path) -> dict[str, str]:
    """The environment of the command, its store under `folder`."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("VCONTRACT_")}
    return {**ours, "VCONTRACT_DATA_DIR": str(folder / "data"), "VCONTRACT_LOG_LEVEL": "warning"}


def import_examples(console: Console, folder: Path) -> None:
    """Import the examples that come with the program.

    Raises: DemoFailed.
    """
    console.rule("1. Import conversations")
    run_command(console, folder, "import", "--examples")


def import_session(console: Console, folder: Path) -> None:
    """Import what a coding agent wrote down of a session, into a store of its own, and embed it at once.

    Raises: DemoFailed.
    """
    console.rule("8. Remember a coding session")
    run_command(console, folder, "import", str(SESSION), "--wait-embeddings")


def run_command(console: Console, folder: Path, *arguments: str) -> None:
    """Run `vcontract` with these arguments and show what it prints.

    Raises: DemoFailed.
    """
    shown = " ".join(Path(argument).name if os.sep in argument else argument for argument in arguments)
    console.print(f"$ vcontract {escape(shown)}", style="bold cyan", highlight=False)
    done = subprocess.run(  # noqa: S603  (our own command, our own folder)
        [COMMAND, *arguments], env=environment(folder), capture_output=True, text=True, check=False
    )
    console.print(escape(done.stdout.replace(f"{folder}{os.sep}", "").strip()), highlight=False)
    if done.returncode != 0:
        raise DemoFailed(f"vcontract {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")


async def question(console: Console, folder: Path) -> None:
    """Start the server over stdio and ask what a model would ask.

    Raises: DemoFailed.
    """
    server = StdioServerParameters(command=COMMAND, args=["serve"], env=environment(folder))
    async with Client(server) as client:
        conversation = Conversation(console, client)
        await look_around(conversation)
        await answer_a_question(conversation)
        await search_by_words(conversation)
        await follow_pages(conversation)
        await stay_within_budget(conversation)
        await recover_from_an_error(conversation)


async def remember(console: Console, folder: Path) -> None:
    """Ask as an agent asks its memory, in words that the session does not use, and read what was found.

    Raises: DemoFailed.
    """
    server = StdioServerParameters(
        command=COMMAND, args=["serve", "--toolsets", "memory"], env=environment(folder)
    )
    async with Client(server) as client:
        conversation = Conversation(console, client)
        query = "when does the American format go away?"
        found = await conversation.ask_in_words("search", {"query": query, "limit": 1})
        if not found["results"]:
            raise DemoFailed(f"no session was found for: {query}")
        best = found["results"][0]
        lines = {"startLine": best["line_start"], "endLine": best["line_end"]}
        await conversation.ask_in_words("read", {"path": best["path"], **lines})


@dataclass(frozen=True, slots=True)
class Conversation:
    """The client's side of the demo: asks, shows what it asks, and hands back the answer."""

    console: Console
    client: Client

    async def ask(self, tool: str, arguments: JsonObject) -> JsonObject:
        """The structured answer of `tool`, an error included."""
        shown = (
            {**arguments, "cursor": f"{arguments['cursor'][:12]}…"} if "cursor" in arguments else arguments
        )
        self.console.print()
        self.console.print(
            f"> {tool} {json.dumps(shown, ensure_ascii=False)}",
            style="bold cyan",
            highlight=False,
            markup=False,
        )
        started = time.perf_counter()
        result = await self.client.call_tool(tool, arguments)
        milliseconds = 1000 * (time.perf_counter() - started)
        answer = cast(JsonObject, result.structured_content)
        size = f"{len(dump_json(answer)):,} bytes in {milliseconds:.0f} ms"
        self.console.print(f"{'ok' if answer.get('ok') else 'error'}, {size}", style="dim", highlight=False)
        return answer

    async def ask_well(self, tool: str, arguments: JsonObject) -> JsonObject:
        """The answer of a call that must succeed.

        Raises: DemoFailed.
        """
        answer = await self.ask(tool, arguments)
        if answer.get("ok") is not True:
            raise DemoFailed(f"{tool} {json.dumps(arguments)} answered {json.dumps(answer)[:1000]}")
        return answer

    async def ask_in_words(self, tool: str, arguments: JsonObject) -> JsonObject:
        """The answer of a tool that answers with a document, which is shown.

        Raises: DemoFailed.
        """
        path = {"path": f"…/{Path(arguments['path']).name}"} if "path" in arguments else {}
        shown = json.dumps({**arguments, **path}, ensure_ascii=False)
        self.console.print()
        self.console.print(f"> {tool} {shown}", style="bold cyan", highlight=False, markup=False)
        result = await self.client.call_tool(tool, arguments)
        answer = cast(JsonObject, result.structured_content)
        if answer.get("success") is not True:
            raise DemoFailed(f"{tool} {shown} answered {json.dumps(answer)[:1000]}")
        text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        self.console.print(text.strip(), highlight=False, markup=False)
        return answer

    async def ask_wrongly(self, tool: str, arguments: JsonObject, code: str) -> JsonObject:
        """The error of a call that must fail with `code`.

        Raises: DemoFailed.
        """
        answer = await self.ask(tool, arguments)
        error = cast(JsonObject, answer.get("error") or {})
        if error.get("code") != code:
            raise DemoFailed(f"{tool} should answer {code}, but answered {json.dumps(answer)[:1000]}")
        self.console.print(f"[bold yellow]{code}[/] {escape(error['message'])}", highlight=False)
        self.console.print_json(data=error["details"], indent=None)
        return error

    def show(self, *columns: str, rows: list[tuple[JsonValue, ...]]) -> None:
        """Print a table; cells may hold markup."""
        table = Table(*columns, header_style="bold", pad_edge=False, box=None)
        for row in rows:
            table.add_row(*(str(cell) for cell in row))
        self.console.print(table)


async def look_around(conversation: Conversation) -> None:
    """What a client asks first: tools, include groups, search modes."""
    conversation.console.rule("2. Ask the server what it can do")
    item = (await conversation.ask_well("vcon_capabilities", {}))["item"]
    conversation.show(
        "subject",
        "answer",
        rows=[
            ("contract", f"{item['contract']['name']} {item['contract']['version']}"),
            ("includes", ", ".join(item["supported_includes"])),
            ("search modes", ", ".join(mode["mode"] for mode in item["search_modes"])),
            ("tools", ", ".join(name for toolset in item["toolsets"] for name in toolset["tools"])),
        ],
    )


async def answer_a_question(conversation: Conversation) -> None:
    """The turns that answer a question, as a model reads them; and a question that nothing stored answers."""
    conversation.console.rule("3. Ask a question")
    found = await conversation.ask_well(
        "vcon_recall", {"query": "why was the refund blocked", "max_tokens": 300}
    )
    show_turns(conversation, found)
    if not any("inspection note" in turn["text"] for item in found["items"] for turn in item["turns"]):
        raise DemoFailed("no turn says why the refund was blocked")
    nothing = await conversation.ask_well("vcon_recall", {"query": "zeppelin harpsichord quarks"})
    show_judgement(conversation, nothing)
    if nothing["meta"]["answerable"] != "nothing_found":
        raise DemoFailed("something was found for: zeppelin harpsichord quarks")


def show_turns(conversation: Conversation, answer: JsonObject) -> None:
    """The turns of each conversation, and whether they are likely to answer."""
    for item in answer["items"]:
        print_plain(conversation.console, f"{item['at'][:10]} {item.get('subject', '')}", style="bold")
        for turn in item["turns"]:
            number = turn.get("turn", turn.get("part"))
            speaker = f"{turn['speaker']}: " if "speaker" in turn else ""
            print_plain(conversation.console, f"  [{number}] {speaker}{turn['text']}")
    show_judgement(conversation, answer)


def show_judgement(conversation: Conversation, answer: JsonObject) -> None:
    """Whether what is stored is likely to answer, and words that are nowhere said."""
    meta = answer["meta"]
    never_said = f", said nowhere: {', '.join(meta['never_said'])}" if "never_said" in meta else ""
    print_plain(conversation.console, f"answerable: {meta['answerable']}{never_said}", style="green")


def print_plain(console: Console, text: str, style: str = "") -> None:
    """Print text of a conversation, which is no markup."""
    console.print(text, style=style, highlight=False, markup=False)


async def search_by_words(conversation: Conversation) -> None:
    """Words that lie in different parts of a conversation, ranked, with the places found."""
    conversation.console.rule("4. Search by words")
    answer = await conversation.ask_well("vcon_search", {"mode": "keyword", "query": "refund"})
    show_hits(conversation, answer)
    answer = await conversation.ask_well(
        "vcon_search", {"mode": "keyword", "query": "battery winter -chargeback"}
    )
    show_hits(conversation, answer)
    if not answer["items"]:
        raise DemoFailed("no conversation was found for: battery winter -chargeback")


def show_hits(conversation: Conversation, answer: JsonObject) -> None:
    """One line a conversation: score, subject, best snippet with its hits marked."""
    rows: list[tuple[JsonValue, ...]] = []
    for item in answer["items"]:
        best = item["match"]["hits"][0]
        index = best.get("content_index")
        place = best["content_type"] if index is None else f"{best['content_type']}[{index}]"
        snippet = marked(best["snippet"]) if conversation.console.is_terminal else escape(best["snippet"])
        rows.append((f"{item['score']:.3f}", escape(item.get("subject", "")), escape(place), snippet))
    conversation.show("score", "subject", "found in", "snippet", rows=rows)


def marked(snippet: str) -> str:
    """The snippet as markup, its hits bold."""
    return escape(snippet).replace("<mark>", "[bold green]").replace("</mark>", "[/]")


async def follow_pages(conversation: Conversation) -> None:
    """All conversations, newest first, five at a time, by cursor."""
    conversation.console.rule("5. Follow the cursor")
    arguments: JsonObject = {"mode": "metadata", "include": ["core", "tags", "counts"], "limit": 5}
    seen: list[str] = []
    while True:
        answer = await conversation.ask_well("vcon_search", arguments)
        page = answer["page"]
        conversation.show(
            "created at",
            "subject",
            "turns",
            "department",
            rows=[
                (
                    item["created_at"][:16],
                    escape(item.get("subject", "(none)")),
                    item["counts"]["dialog"],
                    item["tags"].get("department", ""),
                )
                for item in answer["items"]
            ],
        )
        seen += [item["id"] for item in answer["items"]]
        if page["next_cursor"] is None:
            break
        arguments = {**arguments, "cursor": page["next_cursor"]}
    if len(set(seen)) != len(seen) or len(seen) != len(list(EXAMPLES.glob("*.yaml"))):
        raise DemoFailed(f"the pages hold {len(seen)} conversations, {len(set(seen))} of them different")
    conversation.console.print(f"{len(seen)} conversations, each of them once.", style="green")


async def stay_within_budget(conversation: Conversation) -> None:
    """An answer that would be too large is an error that says what fits."""
    conversation.console.rule("6. Stay within a byte budget")
    found = await conversation.ask_well(
        "vcon_search", {"mode": "keyword", "query": '"cargo bikes" quote', "include": ["core"], "limit": 1}
    )
    uuid = found["items"][0]["uuid"]
    wanted: JsonObject = {
        "uuid": uuid,
        "include": ["parties", "summary", "tags", "counts", "dialog", "analysis"],
        "max_response_bytes": 4096,
    }
    error = await conversation.ask_wrongly("vcon_fetch", wanted, "RESPONSE_TOO_LARGE")
    suggestion = error["details"]["suggestion"]
    conversation.console.print("The error says what fits. Sent back as it stands:", style="green")
    answer = await conversation.ask_well("vcon_fetch", {**wanted, **suggestion})
    item = answer["item"]
    conversation.show(
        "subject",
        "answer",
        rows=[
            ("subject", escape(item["subject"])),
            ("groups", ", ".join(answer["meta"]["include"])),
            ("parties", ", ".join(escape(party.get("name", "–")) for party in item.get("parties", []))),
            ("summary", escape(" ".join(summary["text"] for summary in item.get("summary", [])))),
        ],
    )


async def recover_from_an_error(conversation: Conversation) -> None:
    """A misspelled tag key is answered with the keys that exist."""
    conversation.console.rule("7. Recover from a mistake")
    search: JsonObject = {"mode": "metadata", "include": ["core", "tags"], "limit": 3}
    error = await conversation.ask_wrongly(
        "vcon_search", {**search, "filters": {"tags": {"deparment": "sales"}}}, "AMBIGUOUS_QUERY"
    )
    key = error["details"]["nearest"][0]["key"]
    conversation.console.print(f"The nearest key is {key}. With it:", style="green")
    answer = await conversation.ask_well("vcon_search", {**search, "filters": {"tags": {key: "sales"}}})
    conversation.show(
        "subject",
        "tags",
        rows=[
            (
                escape(item["subject"]),
                escape(json.dumps(item["tags"], ensure_ascii=False)),
            )
            for item in answer["items"]
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
