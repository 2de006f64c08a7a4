"""Where trained models are kept between runs."""

import os
import tempfile
from pathlib import Path

from platformdirs import user_cache_path

from manifoldtheory.errors import InputError

VARIABLE = "MANIFOLDTHEORY_CACHE"


def cache_folder() -> Path:
    """The folder named by the environment variable ``MANIFOLDTHEORY_CACHE``, else the user's cache folder."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else user_cache_path("manifoldtheory")


def require_writable(folder: Path) -> None:
    """Creates the folder if need be. Raises `InputError` unless files can be created in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Permission bits don't tell (read-only mounts, the superuser), so a file is written.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"can't keep the trained model in {folder} ({error.strerror or error}): "
            f"set {VARIABLE} to a folder you can write"
        ) from error
