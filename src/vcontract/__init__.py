"""A store of conversations that a language model can query without guessing."""
