"""Keeps the vCons of a conserver in vcontract: `storage` is a storage module of it, `link` a link."""
