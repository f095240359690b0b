"""Files that are written whole or not at all: what was there before stays until the new content is complete."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

_MOST_LINKS = 40  # as the kernel of Linux


@contextmanager
def replacing(path: str | Path, mode: Literal["w", "wb"]) -> Iterator[IO[Any]]:
    """Open a file that takes the place of the one at ``path`` at the end, and is removed if there is an error.

    It lies in the same folder until then, so that the last step cannot fail half way. A link is followed. What is no
    file, such as /dev/stdout or a pipe, has no place to take, and is written to directly.
    """
    destination = _destination(Path(path))
    encoding = "utf-8" if mode == "w" else None
    if destination is None:
        with Path(path).open(mode, encoding=encoding) as file:
            yield file
        return
    # A name of its own: beside a long one there may be no room for more letters.
    unfinished = destination.with_name(f".optitree-{secrets.token_hex(8)}.part")
    with os.fdopen(_create(unfinished, destination, path), mode, encoding=encoding) as file:
        try:
            yield file
            file.close()  # which may be where a full disk is noticed
            unfinished.replace(destination)
        except BaseException:  # Ctrl-C too
            with suppress(OSError):  # which would hide the error that came first
                file.close()
            unfinished.unlink(missing_ok=True)
            raise


def _destination(path: Path) -> Path | None:
    """Return the file that links lead to, there or not; None for what is no file, or is open already."""
    for _ in range(_MOST_LINKS):
        folder = Path(os.path.realpath(path.parent))
        path = folder / path.name
        # /dev/stdout leads here. What is behind may be a file, but one that another process is writing to as well.
        if folder.is_relative_to("/proc"):
            return None
        if not path.is_symlink():
            return path if path.is_file() or not path.exists() else None
        path = folder / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _create(unfinished: Path, destination: Path, path: str | Path) -> int:
    """Create the file with the permissions of the one that it is to replace, or with those of any new file."""
    try:
        if not destination.exists():
            return os.open(unfinished, _FLAGS, 0o666)
        if not os.access(destination, os.W_OK):  # to replace it would be possible, but is not what was allowed
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        created = os.open(unfinished, _FLAGS, 0o600)
        unfinished.chmod(stat.S_IMODE(destination.stat().st_mode))
        return created
    except OSError as error:  # about a file that nobody has asked for
        raise OSError(error.errno, error.strerror, str(path)) from None


_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
