"""Readers for agents whose sessions are not JSON lines, one module each."""
