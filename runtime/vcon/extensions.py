"""Extensions: which of them defines what, of those that are supported."""

from collections.abc import Mapping
from typing import Final

EXTENSION_OF_PURPOSE: Final[Mapping[str, str]] = {
    "lawful_basis": "lawful_basis",
    "agent_file_change": "agent_session",
    "agent_artifact": "agent_session",
    "agent_environment": "agent_session",
    "agent_trace_cose_sign1": "agent_session",
    "scitt_receipt": "agent_session",
    "mcp_artifact": "mcp_session",
}
"""By the purpose of an attachment the extension that defines it."""
