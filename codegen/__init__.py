"""Generator: turns the specification in spec/ into generated/."""
