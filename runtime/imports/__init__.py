"""Import and export: read vCons, other programs' exports and agents' transcripts; write vCons."""
