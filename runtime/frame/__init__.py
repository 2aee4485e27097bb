"""What any server built from a contract needs: nothing here knows conversations, texts or a database."""
