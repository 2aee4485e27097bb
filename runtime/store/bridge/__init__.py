"""Lived experience as rows."""
