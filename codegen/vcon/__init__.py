"""Emitters of this project, named in spec/project.yaml."""
