"""What a person sees of long work: live on a terminal and in a notebook, lines elsewhere, nothing unless asked for."""

from .display import Display, Lines, displaying, showing
from .moment import Moment, line_of

__all__ = ["Display", "Lines", "Moment", "displaying", "line_of", "showing"]
