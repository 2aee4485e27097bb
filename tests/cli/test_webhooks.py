"""`vcontract webhook`: somebody is told, sees to what was not taken, and is told no more."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner, Result

from tests.receiver import Receiver, receiving
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.trust.webhooks import is_signed, parse_secret

Run: TypeAlias = Callable[..., Result]
VCON = '{"vcon_data": {"parties": [{"name": "Ann"}], "created_at": "2025-10-14T10:30:00Z"}}'


@pytest.fixture
def run(database_url: str, tmp_path: Path, tenant: str) -> Run:
    """Runs the command on the module's database, for this test's tenant."""

    def invoke(*arguments: object, hosts: str = "127.0.0.1") -> Result:
        env = {
            "VCONTRACT_DATABASE_URL": database_url,
            "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
            "VCONTRACT_WEBHOOK_HOSTS": hosts,
        }
        return CliRunner().invoke(app, [*map(str, arguments), "--tenant", tenant], env=env)

    return invoke


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


def json_of(outcome: Result) -> JsonObject:
    assert outcome.exit_code == 0, outcome.output
    document: JsonObject = json.loads(outcome.stdout)
    return document


def test_a_webhook_is_added_tested_seen_to_and_removed(run: Run, receiver: Receiver) -> None:
    added = json_of(
        run("webhook", "add", receiver.url, "--events", "created", "--tag", "a=b", "--with-vcon", "--json")
    )
    id_ = added["id"]
    run("call", "create_vcon", VCON.replace("}}", '}, "metadata": {"tags": {"a": "b"}}}'))
    receiver.answers = [200, 418]

    assert run("webhook", "test", id_).stdout == "Delivered.\n"
    refused = run("webhook", "test", id_)
    (waits,) = json_of(run("webhook", "deliveries", id_, "--json"))["deliveries"]
    again = run("webhook", "retry", id_)
    (listed,) = json_of(run("webhook", "list", "--json"))["webhooks"]
    shown = run("webhook", "list").stdout + run("webhook", "deliveries", id_).stdout
    removed = run("webhook", "remove", id_)

    assert is_signed(parse_secret(added["secret"]), receiver.headers[0], receiver.bodies[0])
    assert receiver.messages[0]["type"] == "vcon.test"
    assert refused.exit_code == 1
    assert "it answered 418" in refused.stderr
    assert (waits["event"], waits["attempts"]) == ("vcon.created", 0)
    assert again.stdout == "Retrying 1 delivery.\n"
    assert (listed["id"], listed["waiting"], listed["tags"], listed["vcon"]) == (id_, 1, {"a": "b"}, True)
    assert waits["vcon"] in shown
    assert added["secret"] not in shown + str(listed)
    assert removed.exit_code == 0
    actions = [line["what"] for line in json_of(run("audit", "--json"))["lines"] if "webhook" in line["what"]]
    assert actions == ["webhook add", "webhook retry", "webhook remove"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "http://hooks.example/"), "https://"),
        (("add", "http://127.0.0.1/"), "VCONTRACT_WEBHOOK_HOSTS"),
        (("add", "https://hooks.example/", "--events", "created,made"), "'made'"),
        (("add", "https://hooks.example/", "--events", ","), "choose from created, changed and deleted"),
        (("add", "https://hooks.example/", "--tag", "north"), "KEY=VALUE"),
    ],
)
def test_what_cannot_be_told_is_refused_in_words(arguments: tuple[str, ...], said: str, run: Run) -> None:
    outcome = run("webhook", *arguments, hosts="")

    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert said in outcome.stderr


@pytest.mark.parametrize("verb", ["remove", "test", "deliveries", "retry"])
def test_an_id_that_there_is_not_is_told(verb: str, run: Run) -> None:
    outcome = run("webhook", verb, "0123")

    assert outcome.exit_code == 1
    assert "vcontract webhook list" in outcome.stderr
