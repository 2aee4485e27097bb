"""Signatures, encryption, content hashes and keys of vCons; signed webhooks."""
