"""Tool calls and resource reads: from a name and arguments to the response that is sent."""
