"""JSON documents: reading and writing them, and what is wrong in one."""
