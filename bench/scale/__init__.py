"""Searches of a large store, beside other stores that hold the same."""
