"""Language models: an optional endpoint compatible with OpenAI's chat completions."""
