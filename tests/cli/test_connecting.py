"""`vcontract connect` writes the entry that each client documents, and nothing else changes."""

import json
import plistlib
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vcontract.runtime.cli import connecting
from vcontract.runtime.cli.client_entries import check_entries
from vcontract.runtime.cli.connecting import known_clients
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings.variables import Variables

CLIENTS = sorted(known_clients())
JSON = [name for name in CLIENTS if known_clients()[name]["form"] == "json"]
ENTRIES: dict[str, tuple[str, JsonObject]] = {
    # the member that holds the servers, and what an entry has beside command and args, as is documented
    "claude-code": ("mcpServers", {"type": "stdio"}),
    "claude-desktop": ("mcpServers", {}),
    "codex": ("mcp_servers", {}),
    "cursor": ("mcpServers", {}),
    "gemini": ("mcpServers", {}),
    "vscode": ("servers", {"type": "stdio"}),
    "windsurf": ("mcpServers", {}),
    "zed": ("context_servers", {"source": "custom", "env": {}}),
}
OTHERS = """\
# what I like
model = "x"

[mcp_servers.other]
command = "other"

[mcp_servers.other.env]
KEY = "1"

[tui]
theme = "dark"
"""


def connect(*arguments: object, answer: str | None = None) -> Result:
    return CliRunner().invoke(app, ["connect", *map(str, arguments)], answer)


def written(path: Path) -> JsonObject:
    text = path.read_text(encoding="utf-8")
    document: JsonObject = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return document


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def file(client: str, tmp_path: Path) -> Path:
    """Where the client keeps its servers; it is not there yet."""
    return tmp_path / "deep" / ("config.toml" if client == "codex" else "config.json")


def test_the_entry_is_as_the_client_documents_it(client: str, file: Path) -> None:
    done = connect(
        client, "--file", file, "--toolsets", "contract,memory", "--read-only", "--tenant", "acme", "--yes"
    )

    assert done.exit_code == 0, done.output
    under, also = ENTRIES[client]
    (entry,) = written(file)[under].values()
    assert Path(entry.pop("command")).name == "vcontract"
    assert entry == {
        "args": ["serve", "--toolsets", "contract,memory", "--tenant", "acme", "--read-only"],
        **also,
    }
    assert known_clients()[client]["source"].startswith("https://")


def test_it_is_written_once_and_taken_out_again(client: str, file: Path) -> None:
    connect(client, "--file", file, "--yes")
    first = file.read_text(encoding="utf-8")
    again = connect(client, "--file", file, "--yes")
    assert (file.read_text(encoding="utf-8"), "is already up to date" in again.output) == (first, True)

    connect(client, "--file", file, "--yes", "--read-only")
    assert "--read-only" in file.read_text(encoding="utf-8")
    connect(client, "--file", file, "--yes", "--remove")
    assert "vcontract" not in file.read_text(encoding="utf-8")
    assert connect(client, "--file", file, "--yes", "--remove").exit_code == 0


@pytest.mark.parametrize("client", ["vscode"])
def test_nothing_is_written_without_a_yes(client: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unasked = connect(client, "--file", file)
    assert (unasked.exit_code, file.exists()) == (2, False)
    assert "add --yes" in unasked.stderr

    monkeypatch.setattr(connecting, "is_answered", lambda: True)
    refused = connect(client, "--file", file, answer="n\n")
    assert (refused.exit_code, file.exists()) == (1, False)
    assert '+    "vcontract": {' in refused.output


@pytest.mark.parametrize("name", JSON)
def test_all_else_in_a_json_file_stays_and_a_copy_of_it_too(name: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    under, _ = ENTRIES[name]
    before: JsonObject = {
        "theme": {"size": 1.50},
        under: {"other": {"command": "other", "env": {"KEY": "1"}}},
        "last": None,
    }
    file.write_text(json.dumps(before), encoding="utf-8")
    file.chmod(0o600)

    connect(name, "--file", file, "--yes")
    after = written(file)
    (copy,) = tmp_path.glob("settings.json.before-*")
    assert json.loads(copy.read_text(encoding="utf-8")) == before
    assert (file.stat().st_mode & 0o777, copy.stat().st_mode & 0o777) == (0o600, 0o600)
    after[under].pop("vcontract")
    assert (after, list(after)) == (before, list(before))


def test_all_else_in_a_toml_file_stays_with_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(OTHERS, encoding="utf-8")
    connect("codex", "--file", file, "--yes")
    assert file.read_text(encoding="utf-8").startswith(OTHERS)

    file.write_text(
        file.read_text(encoding="utf-8") + '\n[mcp_servers.vcontract.env]\nA = "1"\n', encoding="utf-8"
    )
    connect("codex", "--file", file, "--yes", "--read-only")
    servers = tomllib.loads(file.read_text(encoding="utf-8"))["mcp_servers"]
    assert servers["other"] == {"command": "other", "env": {"KEY": "1"}}
    assert (servers["vcontract"]["args"], "env" in servers["vcontract"]) == (["serve", "--read-only"], False)
    connect("codex", "--file", file, "--yes", "--remove")
    assert file.read_text(encoding="utf-8").rstrip("\n") == OTHERS.rstrip("\n")


ZED = """\
// Zed settings
//
// For information on how to configure Zed, see the Zed
// documentation: https://zed.dev/docs/configuring-zed
{
  "ui_font_size": 16, // "in pixels", {
  "theme": {
    "mode": "system",
    "light": "One Light",
  },
  /* my servers:
     one so far */
  "context_servers": {
    "other": {
      "command": "other", // mine
    }, // the last
  },
}
"""
VSCODE = """\
{
\t"servers": {
\t\t// "old": {"command": "old"},
\t\t"github": {
\t\t\t"url": "https://api.example/mcp/"
\t\t} // remote
\t},
\t"inputs": []
}
"""
GEMINI = (
    '\ufeff{\r\n    "theme": "GitHub",\r\n    // no servers yet\r\n    "selectedAuthType": "oauth"\r\n}\r\n'
)
CURSOR = '{"mcpServers": {"other": {"command": "other"}}}\n'
CLAUDE = '{\n  "mcpServers": {}\n}\n'
SETTINGS = {"zed": ZED, "vscode": VSCODE, "gemini": GEMINI, "cursor": CURSOR, "claude-desktop": CLAUDE}
LINES = {
    # what is added, by the lines of a diff
    "zed": ['    "vcontract": {', '      "command": "vcontract",', "    },"],
    "vscode": ["\t\t}, // remote", '\t\t"vcontract": {', '\t\t\t"command": "vcontract",', "\t\t}"],
    "gemini": [
        '    "selectedAuthType": "oauth",\r',
        '    "mcpServers": {\r',
        '        "vcontract": {\r',
        "    }\r",
    ],
    "cursor": ['  "vcontract": {', "  }", "}}"],
    "claude-desktop": ['    "vcontract": {', '      "command": "vcontract",', "    }"],
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_file_with_comments_is_changed_in_place_and_back(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    file = tmp_path / "settings.json"
    file.write_text(SETTINGS[name], encoding="utf-8", newline="")

    def by_name(_python: Path) -> list[str]:
        return ["vcontract"]

    monkeypatch.setattr(connecting, "_command", by_name)
    # when
    added = connect(name, "--file", file, "--yes")
    text = file.read_bytes().decode()
    again = connect(name, "--file", file, "--yes")
    changed = connect(name, "--file", file, "--yes", "--read-only")
    removed = connect(name, "--file", file, "--yes", "--remove")
    # then nothing but the entry changed, in the form that the file has
    assert [each.exit_code for each in (added, again, changed, removed)] == [0, 0, 0, 0], added.output
    assert "is already up to date" in again.output
    before, after = SETTINGS[name].split("\n"), text.split("\n")
    new = [line for line in after if line not in before]
    assert [line for line in LINES[name] if line not in new] == []
    gone = [line for line in before if line not in after]
    assert len(gone) <= 1, gone
    assert text.count("\r") in (0, text.count("\n"))
    # and without it the file says what it said
    assert re.sub(r"\s|,", "", file.read_bytes().decode()).replace('"mcpServers":{}', "") == re.sub(
        r"\s|,", "", SETTINGS[name]
    ).replace('"mcpServers":{}', "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("zed", '// mine\n{"theme": "x",,}\n'),
        ("zed", '{"theme": "x" /* no end }\n'),
        ("cursor", '{"mcpServers": {}} // and\n{}'),
        ("cursor", "[1]"),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "a = [\n"),
        ("codex", 'mcp_servers = {vcontract = {command = "x"}}\n'),
    ],
)
def test_a_file_that_cannot_be_changed_without_loss_stays_as_it_is(
    name: str, text: str, tmp_path: Path
) -> None:
    file = tmp_path / "settings"
    file.write_text(text, encoding="utf-8")
    refused = connect(name, "--file", file, "--yes")
    assert refused.exit_code == 1
    assert "paste what --print shows" in refused.stderr
    assert (file.read_text(encoding="utf-8"), len(list(tmp_path.iterdir()))) == (text, 1)


def test_an_entry_that_is_null_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "settings"
    file.write_text('{"mcpServers": {"other": {}, "vcontract": null}}\n', encoding="utf-8")
    assert connect("cursor", "--file", file, "--yes", "--remove").exit_code == 0
    assert json.loads(file.read_text(encoding="utf-8")) == {"mcpServers": {"other": {}}}


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("emacs",), "choose from claude-code, "),
        (("cursor", "--toolsets", "sesion"), "there is no 'sesion'"),
        (("cursor", "--name", "a b"), "use letters, digits, - and _"),
    ],
)
def test_what_is_asked_wrongly_is_told_and_nothing_written(
    arguments: tuple[str, ...], reported: str, tmp_path: Path
) -> None:
    refused = connect(*arguments, "--file", tmp_path / "f", "--yes")
    assert refused.exit_code == 2
    assert reported in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_entry_can_be_printed_for_a_client_that_is_set_up_by_hand(client: str) -> None:
    shown = connect(client, "--print").stdout
    assert (tomllib if client == "codex" else json).loads(shown)[ENTRIES[client][0]]["vcontract"]["args"] == [
        "serve"
    ]


@pytest.mark.parametrize(
    ("python", "command"),
    [
        ("/home/ann/.cache/uv/archive-v0/Jx2/bin/python", ["/bin/uvx", "vcontract", "serve"]),
        ("/home/ann/.cache/pipx/8f3/bin/python", ["/bin/pipx", "run", "vcontract", "serve"]),
        ("/home/ann/.local/share/pipx/.cache/8f3/bin/python", ["/bin/pipx", "run", "vcontract", "serve"]),
    ],
    ids=["uvx", "pipx", "older-pipx"],
)
def test_what_was_installed_for_one_run_is_not_what_a_client_starts(
    python: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", python)
    monkeypatch.setattr("shutil.which", "/bin/{}".format)

    entry = json.loads(connect("cursor", "--print").stdout)["mcpServers"]["vcontract"]

    assert [entry["command"], *entry["args"]] == command


def test_a_service_of_systemd_watches_a_folder_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("VCONTRACT_DATA_DIR", "/data/100%")
    folder = tmp_path / 'my "calls" 50% $HOME'
    folder.mkdir()

    outcome = connect("--service", folder, "--tenant", "acme")

    assert outcome.exit_code == 0
    unit = dict(line.split("=", 1) for line in outcome.stdout.splitlines() if "=" in line)
    program, *arguments = shlex.split(unit["ExecStart"])
    assert Path(program).name == "vcontract"
    expected = str(folder).replace("%", "%%").replace("$", "$$")
    assert arguments == ["watch", expected, "--tenant", "acme"]
    assert unit["Environment"] == '"VCONTRACT_DATA_DIR=/data/100%%"'
    assert unit["WantedBy"] == "default.target"
    assert "systemctl --user enable --now vcontract-watch" in outcome.stderr


def test_a_service_of_launchd_watches_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delenv("VCONTRACT_DATA_DIR", raising=False)

    outcome = connect("--service", tmp_path)

    service = plistlib.loads(outcome.stdout.encode())
    assert service["ProgramArguments"][1:] == ["watch", str(tmp_path)]
    assert (service["Label"], service["RunAtLoad"]) == ("vcontract.watch", True)
    assert "launchctl bootstrap" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"), [((), "missing CLIENT"), (("--service", "nowhere"), "is not a folder")]
)
def test_connect_needs_a_client_or_a_folder(arguments: tuple[str, ...], message: str) -> None:
    outcome = connect(*arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def entry_of(client: str, file: Path) -> JsonObject:
    entry: JsonObject = written(file)[ENTRIES[client][0]]["vcontract"]
    return entry


def test_the_entry_has_the_settings_in_force_with_absolute_paths(
    client: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VCONTRACT_DATA_DIR", "store")
    monkeypatch.setenv("VCONTRACT_PURPOSE", "analysis")
    monkeypatch.setenv("VCONTRACT_POOL_SIZE", "")
    monkeypatch.setenv("VCONTRACT_SESSION_ALLOWED_ROOTS", "./work, ~/other")
    monkeypatch.setenv("VCONTRACT_LLM_API_KEY_FILE", "key")
    (tmp_path / "key").write_text("secret")
    (tmp_path / "settings.env").write_text('VCONTRACT_PURPOSE=other\nVCONTRACT_TIME_ZONE="Europe/Berlin"\n')
    # when
    arguments = ["connect", client, "--file", str(file), "--yes"]
    done = CliRunner().invoke(app, ["--env-file", "settings.env", *arguments])
    # then
    assert done.exit_code == 0, done.output
    assert entry_of(client, file)["env"] == {
        "VCONTRACT_DATA_DIR": str(tmp_path / "store"),
        "VCONTRACT_LLM_API_KEY_FILE": str(tmp_path / "key"),
        "VCONTRACT_PURPOSE": "analysis",
        "VCONTRACT_SESSION_ALLOWED_ROOTS": f"{tmp_path}/work,~/other",
        "VCONTRACT_TIME_ZONE": "Europe/Berlin",
    }
    assert "With the settings in force here: VCONTRACT_DATA_DIR, " in done.output
    # and what is no longer in force is named when it goes
    monkeypatch.delenv("VCONTRACT_PURPOSE")
    again = connect(client, "--file", file, "--yes")
    assert "The new entry no longer sets VCONTRACT_PURPOSE, VCONTRACT_TIME_ZONE." in again.output


def test_an_option_replaces_the_setting_of_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCONTRACT_TENANT", "acme")
    monkeypatch.setenv("VCONTRACT_READ_ONLY", "true")

    entry = json.loads(connect("cursor", "--print", "--tenant", "other").stdout)["mcpServers"]["vcontract"]

    assert (entry["args"], entry["env"]) == (["serve", "--tenant", "other"], {"VCONTRACT_READ_ONLY": "true"})


def test_the_data_folder_of_the_shell_is_kept_where_the_shell_moves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VCONTRACT_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")

    entry = json.loads(connect("cursor", "--print").stdout)["mcpServers"]["vcontract"]

    assert entry["env"] == {"VCONTRACT_DATA_DIR": str(tmp_path / "vcontract")}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VCONTRACT_DATABASE_URL", "postgresql://ann:pass@db/calls"),
        ("VCONTRACT_DATABASE_URL", "postgresql://db/calls?user=ann&password=pass"),
        ("VCONTRACT_LLM_API_KEY", "pass"),
    ],
)
def test_a_secret_is_never_written_and_a_settings_file_with_one_is_named(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    file, settings = tmp_path / "f.json", tmp_path / "settings.env"
    monkeypatch.setenv(name, value)
    # when
    refused = connect("cursor", "--file", file, "--yes")
    # then
    assert (refused.exit_code, file.exists()) == (2, False)
    assert f"set {name}_FILE to its path" in refused.stderr
    assert "pass" not in refused.output

    monkeypatch.delenv(name)
    settings.write_text(f"{name}={value}\nVCONTRACT_READ_ONLY=true\n")
    done = CliRunner().invoke(
        app, ["--env-file", str(settings), "connect", "cursor", "--file", str(file), "--yes"]
    )
    assert done.exit_code == 0, done.output
    entry = entry_of("cursor", file)
    assert (entry["args"], entry["env"]) == (
        ["--env-file", str(settings), "serve"],
        {"VCONTRACT_READ_ONLY": "true"},
    )


def test_an_address_without_a_password_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCONTRACT_DATABASE_URL", "postgresql:///calls")
    assert '"VCONTRACT_DATABASE_URL": "postgresql:///calls"' in connect("cursor", "--print").stdout


def test_the_doctor_names_clients_that_start_the_server_with_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given two clients with a purpose, one of them read-only, and the file of another server
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VCONTRACT_PURPOSE", "analysis")
    monkeypatch.setenv("VCONTRACT_DATA_DIR", str(tmp_path / "a"))
    for client in ("cursor", "codex"):
        assert connect(client, "--yes", "--read-only").exit_code == 0
    assert connect("zed", "--yes", "--tenant", "acme", "--name", "calls").exit_code == 0
    other = tmp_path / ".gemini" / "settings.json"
    other.parent.mkdir()
    other.write_text(
        '{"mcpServers": {"other": {"command": "other", "args": ["serve"]}, "far": {"url": "x"}}}'
    )

    def seen(**variables: str) -> list[str]:
        return [check.detail for check in check_entries(Variables.read(None, variables))]

    # then
    here = {"VCONTRACT_PURPOSE": "analysis", "VCONTRACT_DATA_DIR": str(tmp_path / "a")}
    assert seen(**here) == ["Cursor, Codex, Zed (calls): with the settings in force here"]
    cursor, codex, zed = seen(**{**here, "VCONTRACT_DATA_DIR": "/b", "VCONTRACT_LLM_API_KEY": "secret"})
    expected = f"VCONTRACT_DATA_DIR={tmp_path}/a instead of /b; without VCONTRACT_LLM_API_KEY"
    assert [each.partition("force here: ")[2] for each in (cursor, codex, zed)] == [expected] * 3
    assert all("VCONTRACT_PURPOSE=analysis, not set here" in each for each in seen())


def test_the_doctor_reads_the_settings_file_of_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = tmp_path / "settings.env"
    settings.write_text("VCONTRACT_LLM_API_KEY=one\nVCONTRACT_PURPOSE=analysis\n")
    CliRunner().invoke(app, ["--env-file", str(settings), "connect", "cursor", "--yes"])

    (same,) = check_entries(Variables.read(settings, {}))
    (other,) = check_entries(
        Variables.read(None, {"VCONTRACT_LLM_API_KEY": "two", "VCONTRACT_PURPOSE": "analysis"})
    )
    settings.unlink()
    (absent,) = check_entries(Variables.read(None, {}))

    assert (same.state, other.state, absent.state) == ("ok", "warning", "warning")
    assert other.detail.endswith(": another VCONTRACT_LLM_API_KEY")
    assert absent.detail.endswith("is not a file; name an existing one or leave it out")
