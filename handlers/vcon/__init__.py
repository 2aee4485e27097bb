"""The `vcon` toolset: vCons and their parts, created, read, changed and deleted."""

from vcontract.handlers.vcon.core import CoreTools
from vcontract.handlers.vcon.schemas import SchemaTools


class Vcon(CoreTools, SchemaTools):
    """Implements `generated.protocols.VconTools`, one base class a group of tools."""
