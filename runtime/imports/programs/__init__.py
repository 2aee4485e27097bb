"""Exports of other programs, each told by its content and read into vCons; a format is a module here."""
