"""The messages of the protocols as pydantic models. The modules here are written by generate.py."""
