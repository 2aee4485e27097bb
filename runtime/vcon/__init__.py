"""What is known about a vCon without a database: its schemas, names, times, tags, text and forms."""
