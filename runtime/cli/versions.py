"""`vcontract version`: print the version."""

import typer

from vcontract.runtime.cli.console import print_json
from vcontract.runtime.cli.invocation import AsJson


def version(as_json: AsJson = False) -> None:
    """Print the version."""
    import platform
    from importlib import metadata

    number = metadata.version("vcontract")
    if as_json:
        print_json({"version": number, "python": platform.python_version(), "platform": platform.platform()})
    else:
        typer.echo(f"vcontract {number}")
