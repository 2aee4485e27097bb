"""The commands of `vcontract`, one module each."""
