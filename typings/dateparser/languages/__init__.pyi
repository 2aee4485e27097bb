"""Languages of dateparser."""
