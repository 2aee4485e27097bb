"""The `contract` toolset, designed for language models: search, recall, fetch, and descriptions."""
