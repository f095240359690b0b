"""Reports: one HTML file that opens anywhere, without a network."""

from .content import About
from .page import write_report

__all__ = ["About", "write_report"]
