"""Pydantic models of the tools' parameters, one module per toolset."""
