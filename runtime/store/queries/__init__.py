"""Queries of more than a few lines, a file each."""

from functools import lru_cache
from importlib import resources


@lru_cache
def query(name: str) -> str:
    """The text of <name>.sql."""
    return resources.files(__name__).joinpath(f"{name}.sql").read_text()
