"""Words: how a text is read, asked for, and shown."""
