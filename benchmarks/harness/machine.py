"""Where and with what a figure was measured: it belongs beside every recorded figure."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """The computer and the Python on it."""
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
    }


def versions(*packages: str) -> dict[str, str | None]:
    """The installed version of each package; None where it is missing."""
    return {package: _version(package) for package in packages}


def build() -> str | None:
    """A fingerprint of the compiled core: two builds of one version are two solvers."""
    try:
        found = importlib.util.find_spec("optitree._core")
    except ImportError:
        return None
    if found is None or found.origin is None:
        return None
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()[:12]


def memory_megabytes() -> float:
    """The memory of the computer."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
