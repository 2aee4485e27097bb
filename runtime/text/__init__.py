"""Text: split it into words, parse queries and dates, and make snippets."""
