"""`vcontract sign` and `vcontract verify`: sign conversations and check signatures."""

from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import counted, print_json, print_table, say
from vcontract.runtime.cli.failures import ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.searching import VconId
from vcontract.runtime.cli.tool_client import call_tools
from vcontract.runtime.frame.documents.plain_text import one_line

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject


def sign(
    context: typer.Context,
    id_: VconId,
    content_hashes: Annotated[
        bool, typer.Option("--content-hashes", help="First add a hash to all content that has none.")
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Sign a conversation; from then on only its tags can change.

    Uses the key in VCONTRACT_SIGNING_KEY.
    """
    answer = call_tools(
        context,
        tenant,
        lambda tools: tools.ask("sign_vcon", vcon_uuid=id_, content_hashes=content_hashes),
        "vcon_more",
    )
    if as_json:
        print_json(answer)
        return
    say(answer["message"])
    lines = [f"signer {one_line(answer['signer'])}"] if "signer" in answer else []
    if content_hashes:
        lines.append(f"{counted(answer['content_hashes'], 'element')} given a content_hash")
    print_table([(line,) for line in lines])


def verify(
    context: typer.Context,
    id_: VconId,
    external: Annotated[
        bool,
        typer.Option("--external", help="Also fetch certificates and content from VCONTRACT_FETCH_HOSTS."),
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Check a conversation's signature and content hashes.

    Exits with 1 if a signature is broken or a hash is wrong.
    """
    answer = call_tools(
        context, tenant, lambda tools: tools.ask("verify_vcon", vcon_uuid=id_, external=external), "vcon_more"
    )
    if as_json:
        print_json(answer)
    else:
        _print(answer)
    if answer["signature"]["status"] == "broken" or answer["content_hashes"]["status"] == "wrong":
        raise typer.Exit(ExitCode.FAILED)


def _print(answer: "JsonObject") -> None:
    signature, hashes = answer["signature"], answer["content_hashes"]
    say(f"signature  {signature['status']}: {signature['message']}")
    print_table(
        [
            (
                each["status"],
                each["reason"],
                each.get("algorithm", ""),
                one_line(each.get("signer", "")),
                one_line(each.get("detail", "")),
            )
            for each in signature.get("signatures", [])
        ]
    )
    if hashes["status"] != "none":
        wrong, unchecked = hashes["wrong"], hashes["unchecked"]
        say(f"hashes     {hashes['right']} right, {len(wrong)} wrong, {len(unchecked)} not checked")
        print_table([*((path, "wrong") for path in wrong), *((e["path"], e["reason"]) for e in unchecked)])
