"""The `memory` toolset: search and read past conversations with agents."""
