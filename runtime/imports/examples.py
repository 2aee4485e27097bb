"""The example conversations of `spec/examples` as importable files."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from vcontract.runtime.frame.documents.json import dump_json
from vcontract.runtime.vcon.spec_files import shipped_yaml


@contextmanager
def example_files() -> Generator[Path]:
    """Create a temporary folder with one file per example."""
    with tempfile.TemporaryDirectory(prefix="vcontract-examples-") as name:
        folder = Path(name)
        for source in (files("vcontract.spec") / "examples").iterdir():
            example = shipped_yaml("examples", source.name)
            (folder / f"{example['name']}.vcon.json").write_bytes(dump_json(example["vcon"]))
        yield folder
