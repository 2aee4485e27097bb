"""The contract as one page for people: what it holds, what it costs, and what changed."""
