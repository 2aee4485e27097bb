"""The `vcontract` command, one module per command."""
