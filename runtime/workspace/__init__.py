"""The project folder of a coding session: find it, inspect its state, commit checkpoints, write handoffs."""
