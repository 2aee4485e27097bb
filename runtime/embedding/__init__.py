"""Embeddings: convert texts to unit vectors, and keep every stored passage embedded."""
