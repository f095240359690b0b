"""How files of text are written, as far as somebody has said it."""

import codecs
from dataclasses import dataclass

# Read as missing wherever they stand.
MISSING = ("", "NA", "NaN", "nan", "NULL", "null")
_DELIMITERS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}


@dataclass(frozen=True, slots=True)
class FileFormat:
    """None for what is to be seen from the file itself.

    ``missing``: words that stand for a missing value beside MISSING; if there are none, some are guessed. ``skip``:
    lines before the names of the columns.
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    skip: int = 0

    def __post_init__(self) -> None:
        """Say what is wrong before any file is read."""
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _DELIMITERS.get(self.delimiter, self.delimiter))
            if len(self.delimiter.encode()) != 1:
                raise ValueError(f"delimiter {self.delimiter!r} must be one plain character such as ; or \\t")
        for name, value in (("decimal", self.decimal), ("thousands", self.thousands)):
            if value not in (None, ".", ",", *(("", " ", "'", "_") if name == "thousands" else ())):
                raise ValueError(f"{name}={value!r} is no separator of numbers; use . or ,")
        if self.thousands and self.thousands == (self.decimal or "."):
            raise ValueError(f"{self.thousands!r} cannot separate both thousands and decimals; give --decimal too")
        if self.skip < 0:
            raise ValueError(f"skip={self.skip} must be at least 0")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise ValueError(
                f"the encoding {self.encoding!r} is unknown; use a name such as utf-8, latin-1 or cp1252"
            ) from None
