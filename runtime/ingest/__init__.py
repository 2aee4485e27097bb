"""Files, folders and archives turned into stored vCons."""
