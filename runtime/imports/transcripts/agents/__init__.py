"""Programs whose sessions are no files of lines; one module, and one declaration, for each."""
