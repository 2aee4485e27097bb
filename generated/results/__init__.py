"""Typed dicts of what tools answer and resources hold, one module per toolset."""
