"""The `vcon` toolset: vCons and their parts, created, read, changed and deleted."""

from vcontract.handlers.vcon.adding import AddingTools
from vcontract.handlers.vcon.core import CoreTools
from vcontract.handlers.vcon.database import DatabaseTools
from vcontract.handlers.vcon.examples import ExampleTools
from vcontract.handlers.vcon.meaning import MeaningTools
from vcontract.handlers.vcon.schemas import SchemaTools
from vcontract.handlers.vcon.searching import SearchTools
from vcontract.handlers.vcon.tags import TagTools
from vcontract.handlers.vcon.templates import TemplateTools


class Vcon(
    AddingTools,
    CoreTools,
    DatabaseTools,
    ExampleTools,
    MeaningTools,
    SchemaTools,
    SearchTools,
    TagTools,
    TemplateTools,
):
    """Implements `generated.protocols.VconTools`, one base class a group of tools."""
