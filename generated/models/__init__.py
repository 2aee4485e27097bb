"""Pydantic models of the tools, one module per toolset."""
