"""HTML report of the contract: contents, token costs, and changes."""
