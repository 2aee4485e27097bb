"""Sessions of coding agents as rows."""
