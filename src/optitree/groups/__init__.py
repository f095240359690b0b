"""Rows that no condition tells apart become groups, in memory or in an engine."""
