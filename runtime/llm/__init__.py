"""The one way to a language model: an endpoint that speaks OpenAI's chat completions, if one is set."""
