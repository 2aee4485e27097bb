"""Turns spec/ into generated/."""
