"""One emitter a file: a pure function from the contract to generated files."""
