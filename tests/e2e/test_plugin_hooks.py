"""The hooks of the Claude Code plugins, run as it runs them: by a shell, with the event on stdin."""

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.e2e.conftest import COMMAND, Environment, environment
from tests.tools.session.conftest import make_repository
from tests.waiting import until
from vcontract.runtime.frame.documents.json import JsonObject

PLUGINS = Path(__file__).parents[2] / "plugins"


async def fire(plugin: str, event: str, project: Path, env: Environment, **reported: str) -> str:
    """What the hooks of an event wrote, each of which was done well and soon enough."""
    about = {"session_id": "5f0c", "cwd": str(project), "hook_event_name": event, **reported}
    written = ""
    for group in json.loads((PLUGINS / plugin / "hooks" / "hooks.json").read_text())["hooks"][event]:
        if about.get("reason", "") not in group.get("matcher", about.get("reason", "")).split("|"):
            continue
        for hook in group["hooks"]:
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", hook["command"]),
                stdin=PIPE,
                stdout=PIPE,
                env={**env, "CLAUDE_PROJECT_DIR": str(project)},
                cwd=project,
            )
            out, _ = await process.communicate(json.dumps(about).encode())
            assert process.returncode == 0, hook["command"]
            written += out.decode()
    return written


async def test_a_working_session_begins_and_ends_with_that_of_the_agent(
    data_dir: Path, tmp_path: Path
) -> None:
    project = make_repository(tmp_path / "shop").root
    env = environment(data_dir, {"embedding_provider": "none"})
    env["PATH"] = f"{Path(COMMAND).parent}{os.pathsep}{env['PATH']}"
    plugin = "claude-code-sessions"

    reported, _, answer = (await fire(plugin, "SessionStart", project, env, source="startup")).partition("\n")
    begun: JsonObject = json.loads(answer)
    assert await fire(plugin, "SessionEnd", project, env, reason="clear") == ""
    assert await fire(plugin, "SessionEnd", project, env, reason="prompt_input_exit") == ""
    handoffs = project / ".vcontract" / "handoff"
    await until(lambda: any(handoffs.glob("*.md")))

    assert not reported.startswith("{"), "the agent would take it for orders, and show it to nobody"
    assert (begun["success"], begun["resumed"]) == (True, False)
    assert next(handoffs.glob("*.md")).read_text().startswith("# Session handoff: shop\n")
