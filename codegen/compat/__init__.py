"""Compatibility gate: compare two states of the contract by declared rules."""
