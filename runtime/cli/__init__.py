"""The `vcontract` command, a module a command."""
