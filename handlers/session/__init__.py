"""The `session` toolset: a working session from its beginning to its end, and what it remembers."""

from vcontract.handlers.session.checkpoints import CheckpointTools
from vcontract.handlers.session.ending import EndingTools
from vcontract.handlers.session.files import FileTools
from vcontract.handlers.session.reflecting import ReflectionTools
from vcontract.handlers.session.starting import StartingTools
from vcontract.handlers.session.status import StatusTools


class Session(StartingTools, CheckpointTools, EndingTools, StatusTools, ReflectionTools, FileTools):
    """Implements `generated.protocols.SessionTools`, one base class a group of tools."""
