"""Hand-written tool implementations, one class per toolset."""
