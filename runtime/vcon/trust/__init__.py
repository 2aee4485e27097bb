"""Who vouches for a vCon, who may read it, and whether its content is what it was."""
