"""Web page for people. Like every client, it reads and changes data through the tools."""
