"""The server: it knows the protocol and the store, and no tool by name."""
