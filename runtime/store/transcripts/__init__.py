"""Storage of coding agents' transcripts."""
