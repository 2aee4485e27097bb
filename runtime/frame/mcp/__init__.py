"""The Model Context Protocol: server, lists and transports."""
