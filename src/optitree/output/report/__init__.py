"""Reports: one HTML file that opens anywhere, without a network."""

from .page import About, write_report

__all__ = ["About", "write_report"]
