"""What can go wrong, in one place.

Wrong input is answered with Python's own exceptions, before any work starts::

    ValueError        a value that cannot be used; the message says what to do
    ├── FileFormatError   a saved model that is damaged or of another kind
    TypeError         an object of a kind that cannot be used

A search that ends early is no error. The model is fitted, its ``status_`` says why it stopped::

    UserWarning
    └── LimitWarning      the time or memory limit came before the proof
"""


class FileFormatError(ValueError):
    """The file is not a model saved by optitree, or it is damaged."""


class LimitWarning(UserWarning):
    """The search stopped at a limit: the tree is the best found, not proven optimal."""
