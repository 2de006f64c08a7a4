"""Run folders: evidence written as it comes, atomically, so that an interrupted run is finished by the next call.

::

    runs/<name>/
      manifest.json       what was asked (`identity`) and what it was made with (`record`)
      parts/<task>.parquet  the evidence of one finished task
      evidence.parquet    all parts in order, once every task is done
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from manifoldtheory.errors import InputError
from manifoldtheory.ledger.evidence import Evidence

MANIFEST = "manifest.json"
EVIDENCE = "evidence.parquet"
COLUMNS = tuple(field.name for field in fields(Evidence))


@dataclass(frozen=True)
class RunFolder:
    """A folder on disk that holds one run. Open with `create` (new or resumed) or `load` (to read)."""

    path: Path

    @classmethod
    def create(cls, path: Path, identity: Mapping[str, Any], record: Mapping[str, Any]) -> Self:
        """Starts a run, or resumes the one in `path` when its identity is the same.

        Raises `InputError` when the folder holds another run, holds something else, or can't be written.
        """
        wanted = json.loads(json.dumps(identity, sort_keys=True))
        manifest = path / MANIFEST
        try:
            if manifest.exists():
                found = cls(path).manifest["identity"]
                if found != wanted:
                    names = sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
                    raise InputError(
                        f"{path} holds a run with another {', '.join(names)} "
                        f"({'; '.join(f'{key}: {found.get(key)!r} there, {wanted.get(key)!r} now' for key in names)}): "
                        "give another --out, or delete the folder"
                    )
            elif path.exists() and any(not entry.name.startswith(f".{MANIFEST}") for entry in path.iterdir()):
                raise InputError(f"{path} is not empty and holds no {MANIFEST}: give --out a new folder")
            else:  # new, or killed while the manifest was written
                write_atomically(manifest, json.dumps({"identity": wanted, "record": record}, indent=2).encode())
            (path / "parts").mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"can't use the run folder {path} ({error}): give --out a folder you can write") from error
        return cls(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """An existing run. Raises `InputError` when there is none in `path`."""
        if not (path / MANIFEST).is_file():
            raise InputError(
                f"{path} holds no run (no {MANIFEST}): give the folder that `manifoldtheory verify` printed"
            )
        return cls(path)

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest: `identity` and `record`. Raises `InputError` when the file is damaged."""
        try:
            found = json.loads((self.path / MANIFEST).read_text())
        except ValueError as error:
            raise InputError(f"{self.path / MANIFEST} is damaged ({error}): delete the folder") from error
        if not isinstance(found, dict) or not {"identity", "record"} <= found.keys():
            raise InputError(f"{self.path / MANIFEST} is not a run's manifest: delete the folder")
        return found

    def _part(self, task: str) -> Path:
        return self.path / "parts" / f"{task}.parquet"

    def has(self, task: str) -> bool:
        """Whether the task's evidence is already there, whole; a damaged file counts as missing."""
        try:
            self.read(task)
        except InputError:
            return False
        return True

    def write(self, task: str, evidence: Iterable[Evidence]) -> None:
        """Keeps the evidence of a finished task."""
        _write_parquet(self._part(task), list(evidence))

    def read(self, task: str) -> list[Evidence]:
        """The evidence of a finished task. Raises `InputError` when its file is missing or damaged."""
        return _read_parquet(self._part(task))

    def finish(self, tasks: Iterable[str]) -> list[Evidence]:
        """Joins the parts of the tasks, in order, into ``evidence.parquet``, and returns them."""
        evidence = [record for task in tasks for record in self.read(task)]
        _write_parquet(self.path / EVIDENCE, evidence)
        return evidence

    @property
    def evidence(self) -> list[Evidence]:
        """All evidence. Raises `InputError` when the run was not finished."""
        if not (self.path / EVIDENCE).exists():
            raise InputError(f"the run in {self.path} was interrupted: repeat its command with --out {self.path}")
        return _read_parquet(self.path / EVIDENCE)


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all, even if the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _schema() -> Any:
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "float": pa.float64(),
        "int": pa.int64(),
    }
    numbers = dict.fromkeys(("predicted", "measured", "stderr", "lower", "upper", "p_value", "seconds"), "float")
    numbers |= {"n": "int", "seed": "int"}
    return pa.schema([(name, types[numbers.get(name, "string")]) for name in COLUMNS])


def _write_parquet(path: Path, evidence: list[Evidence]) -> None:
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = []
    for record in evidence:
        row = record.to_dict()
        rows.append(row | {"versions": json.dumps(row["versions"]) if row["versions"] is not None else None})
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=_schema()), buffer)
    write_atomically(path, buffer.getvalue())


def _read_parquet(path: Path) -> list[Evidence]:
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            rows = pq.read_table(file).to_pylist()
        return [
            Evidence.from_dict(row | {"versions": json.loads(row["versions"]) if row["versions"] is not None else None})
            for row in rows
        ]
    except (OSError, ValueError, KeyError) as error:  # pyarrow's own errors are among these
        reason = " ".join(str(error).split())
        raise InputError(f"{path} can't be read ({reason}): delete it and repeat the run's command") from error
