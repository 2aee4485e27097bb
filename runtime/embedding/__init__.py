"""Embeddings: texts as unit vectors, and the worker that keeps every passage embedded."""
