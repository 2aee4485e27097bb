"""JSON documents: parse, print, and report what is wrong in one."""
