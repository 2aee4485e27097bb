"""How well the searches find what was asked for."""
