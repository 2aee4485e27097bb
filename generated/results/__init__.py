"""Typed dicts that the tools answer with, one module per toolset."""
