"""The `session` toolset: begin, checkpoint and end coding sessions, and search what they learned."""
