"""The Model Context Protocol: the server, what it lists, and its transport."""
