"""One emitter a file: a pure function from the contract to the files it stands for."""
