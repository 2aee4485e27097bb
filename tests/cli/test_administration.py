"""What whoever runs a server for others does by command: the audit, tenants, what they may store."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner, Result

from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject

Run: TypeAlias = Callable[..., Result]


@pytest.fixture
def run(database_url: str, tmp_path: Path) -> Run:
    """Runs the command on the module's database."""

    def invoke(*arguments: object, **env: str | None) -> Result:
        settings: dict[str, str | None] = {
            "VCONTRACT_DATABASE_URL": database_url,
            "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
            "LOGNAME": "ann",
            "COLUMNS": "200",
            **env,
        }
        return CliRunner().invoke(app, [str(item) for item in arguments], env=settings)

    return invoke


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """A file of two conversations."""
    file = tmp_path / "calls.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {
                    "vcon": "0.4.0",
                    "uuid": f"01900000-0000-8000-8000-00000000000{number}",
                    "created_at": "2025-09-01T10:00:00Z",
                    "subject": "Secretive",
                    "parties": [{"name": "Secretive"}],
                }
            )
            + "\n"
            for number in (1, 2)
        )
    )
    return file


def json_of(outcome: Result) -> JsonObject:
    assert outcome.exit_code == 0, outcome.output
    document: JsonObject = json.loads(outcome.stdout)
    return document


def test_the_audit_tells_who_did_what_by_command_and_nothing_that_was_said(
    run: Run, tenant: str, calls: Path, tmp_path: Path
) -> None:
    run("import", calls, "--tenant", tenant)
    run("export", "--tenant", tenant, "--output", tmp_path / "out.jsonl")
    run("token", "create", tenant, "--tenant", tenant, "--scopes", "read,write")
    run("token", "revoke", tenant)

    lines = json_of(run("audit", "--tenant", tenant, "--json"))["lines"]
    shown = run("audit", "--tenant", tenant).stdout

    assert [(line["who"], line["what"], line["outcome"], line["detail"]) for line in lines] == [
        ("import", "import", "done", {"created": 2, "replaced": 0}),
        (
            "import",
            "import report",
            "done",
            {
                "files": 1,
                "read": 2,
                "created": 2,
                "replaced": 0,
                "skipped": 0,
                "identical": 0,
                "refused": 0,
                "messages": {},
                "left_out": [],
                "conforming": 2,
                "refusals": [],
                "first_refused": [],
            },
        ),
        ("command:ann", "export", "done", {"vcons": "all"}),
        (
            "command:ann",
            "token create",
            "done",
            {"token": tenant, "scopes": ["read", "write"], "expires_at": None},
        ),
        ("command:ann", "token revoke", "done", {"token": tenant}),
    ]
    assert [line.split()[0] for line in shown.splitlines()] == ["TIME", *[lines[0]["at"][:10]] * 5]
    assert f"token={tenant} scopes=read,write" in shown
    assert "ecretive" not in shown + str(lines)


@pytest.mark.parametrize(
    ("options", "actions"),
    [
        ((), ["import", "import report", "export", "token create"]),
        (("--tool", "export"), ["export"]),
        (("--outcome", "refused"), []),
        (("--outcome", "done", "--limit", "1"), ["token create"]),
        (("--since", "2020-01-01"), ["import", "import report", "export", "token create"]),
        (("--since", "2999-01-01"), []),
    ],
)
def test_the_audit_is_narrowed_by_its_options(
    options: tuple[str, ...], actions: list[str], run: Run, tenant: str, calls: Path
) -> None:
    run("import", calls, "--tenant", tenant)
    run("export", "--tenant", tenant)
    run("token", "create", tenant, "--tenant", tenant)

    lines = json_of(run("audit", "--tenant", tenant, "--json", *options))["lines"]

    assert [line["what"] for line in lines] == actions


def test_a_token_may_have_a_purpose_of_its_own(run: Run, tenant: str) -> None:
    made = json_of(
        run("token", "create", tenant, "--tenant", tenant, "--purpose", "sharing, analysis", "--json")
    )
    listed = json_of(run("token", "list", "--json"))["tokens"]
    refused = run("token", "create", f"{tenant} 2", "--purpose", "Analysis!")

    assert made["purposes"] == ["analysis", "sharing"]
    assert [each["purposes"] for each in listed if each["name"] == tenant] == [["analysis", "sharing"]]
    assert (refused.exit_code, "'Analysis!' cannot name a purpose" in refused.output) == (2, True)


def test_how_long_the_audit_is_kept_is_said_by_command(run: Run) -> None:
    outcome = run("audit", "--keep-days", "30")

    assert outcome.stderr == "Audit events are kept for 30 days.\n"
    (line,) = json_of(run("audit", "--tool", "audit keep", "--json"))["lines"]
    assert (line["tenant"], line["detail"]) == (None, {"days": 30})
    assert run("audit", "--keep-days", "0").exit_code == 2
    assert run("audit", "--keep-days", "3", "--tool", "x").exit_code == 2
    assert run("audit", "--since", "soon").exit_code == 2


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (("--vcons", "3"), {"vcons": 3, "bytes": 5_000_000}),
        (("--bytes", "2 GB"), {"vcons": 7, "bytes": 2_000_000_000}),
        (("--none",), {"vcons": None, "bytes": None}),
        ((), {"vcons": 7, "bytes": 5_000_000}),
    ],
)
def test_a_quota_is_said_by_command_and_what_is_not_named_stays(
    options: tuple[str, ...], shown: JsonObject, run: Run, tenant: str
) -> None:
    run("tenant", "quota", tenant, "--vcons", "7", "--bytes", "5MB")
    assert json_of(run("tenant", "quota", tenant, "--json", *options))["quota"] == shown


@pytest.mark.parametrize("options", [("--vcons", "-1"), ("--bytes", "5 apples"), ("--none", "--vcons", "1")])
def test_a_quota_that_is_none_is_refused(options: tuple[str, ...], run: Run, tenant: str) -> None:
    assert run("tenant", "quota", tenant, *options).exit_code == 2
    assert json_of(run("tenant", "quota", tenant, "--json"))["quota"] == {"vcons": None, "bytes": None}


def test_an_import_stops_at_the_quota_and_says_what_to_do(run: Run, tenant: str, calls: Path) -> None:
    run("tenant", "quota", tenant, "--vcons", "1")

    outcome = run("import", calls, "--tenant", tenant)

    assert outcome.exit_code == 1
    assert "the tenant's quota is exceeded" in outcome.stderr
    assert f"the tenant {tenant} may store 1 vCons, has 0, and this adds 2" in outcome.stderr
    assert (
        "cure:  delete what you no longer need, or raise it with `vcontract tenant quota`" in outcome.stderr
    )
    assert run("export", "--tenant", tenant).stdout == ""


def test_a_transcript_beyond_the_quota_leaves_nothing_behind(run: Run, tenant: str, tmp_path: Path) -> None:
    session = Path(__file__).parents[2] / "docs" / "demo_session.jsonl"
    run("tenant", "quota", tenant, "--bytes", "1kB")

    outcome = run("import", session, "--tenant", tenant)

    assert outcome.exit_code == 1
    assert "the tenant's quota is exceeded" in outcome.stderr
    assert run("export", "--tenant", tenant).stdout == ""
    assert [path for path in (tmp_path / "data" / "archive").rglob("*") if path.is_file()] == []


def test_tenants_are_listed_with_what_they_have_and_may_have(run: Run, tenant: str, calls: Path) -> None:
    run("import", calls, "--tenant", tenant)
    run("tenant", "quota", tenant, "--bytes", "1MB")

    (listed,) = [
        one for one in json_of(run("tenant", "list", "--json"))["tenants"] if one["tenant"] == tenant
    ]
    shown = json_of(run("tenant", "show", tenant, "--json"))

    assert (listed["vcons"], listed["quota"]) == (2, {"vcons": None, "bytes": 1_000_000})
    assert calls.stat().st_size * 0.9 < listed["bytes"] < calls.stat().st_size * 1.2
    assert {**listed, "rows": shown["rows"]} == {**shown, "store": "home"}
    assert shown["rows"]["party"] == 2
    assert f"{tenant}  2      " in run("tenant", "list").stdout
    assert run("tenant", "show", f"{tenant}.other").exit_code == 1


def test_a_tenant_that_has_nothing_is_removed_by_no_command(run: Run, tenant: str) -> None:
    outcome = run("tenant", "delete", tenant, "--yes")
    assert outcome.exit_code == 1
    assert f"tenant {tenant!r} stores nothing" in outcome.stderr
