"""The folder that a working session is about: what it is, how it stands, and what is done in it."""
