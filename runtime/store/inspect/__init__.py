"""What an administrator asks of the database."""
