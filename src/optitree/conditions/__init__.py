"""Columns become conditions: the human-readable tests that a tree asks."""
