"""What we use of dateparser, which ships no types."""
