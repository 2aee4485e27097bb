"""Import formats of other programs, detected by content. Each format is a module or a declaration."""
