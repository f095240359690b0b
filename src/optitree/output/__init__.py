"""A fitted model as text, pictures and files."""
