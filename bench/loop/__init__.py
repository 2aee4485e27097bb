"""A model in the loop: questions that it answers with one kind of access, and what that cost."""
