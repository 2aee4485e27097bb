"""Transcripts of agents: the files of several programs, read into one model and kept as vCons."""
