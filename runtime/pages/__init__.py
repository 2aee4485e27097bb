"""The page for people, in a browser: it reads and changes through the tools, as every client does."""
