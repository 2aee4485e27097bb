"""Emitters: pure functions from the contract to generated files, one per kind of file."""
