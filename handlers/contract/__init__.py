"""The handlers of the toolset `contract`."""
