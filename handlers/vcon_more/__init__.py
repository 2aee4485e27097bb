"""The `vcon_more` toolset: edit elements, redact, sign, hold and count vCons."""
