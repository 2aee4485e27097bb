"""vCons as rows."""
