"""Benchmarks: run by hand and by `make bench`, never by the tests."""
