"""The values that a tenant's conversations have."""
