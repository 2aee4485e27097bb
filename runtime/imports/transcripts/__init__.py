"""Import sessions of coding agents from their transcript files."""
