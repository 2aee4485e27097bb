"""The way of a call, from its name and arguments to the object that is sent."""
