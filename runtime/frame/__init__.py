"""Framework for a server of any contract. Nothing here depends on conversations, texts or a database."""
