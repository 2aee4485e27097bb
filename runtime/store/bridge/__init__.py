"""Storage of the bridge: sources, moments and scenes of lived experience."""
