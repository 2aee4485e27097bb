"""The compatibility gate: two states of the contract compared by rules that are data."""
