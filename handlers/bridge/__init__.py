"""The `bridge` toolset: capture, frame and weave lived experience."""
