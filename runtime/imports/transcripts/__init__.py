"""Sessions of coding agents, as their files have them."""
