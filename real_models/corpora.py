"""Text to train and measure on, with no download: Python's own documentation, or a user's files.

A corpus is a list of documents. Documents, never parts of them, are dealt to three splits that share no text: *train*
(the model and its tokenizer), *fit* (the tangent proxies), *measurement* (everything that is reported).
"""

import ast
import hashlib
import os
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import cleandoc
from pathlib import Path
from typing import Literal

from manifoldtheory.errors import InputError

Split = Literal["train", "fit", "measurement"]

SHARES: dict[Split, float] = {"measurement": 0.15, "fit": 0.10}
"""Least share of the characters that a split gets; *train* takes the rest."""

MIN_CHARACTERS = 100_000
"""Below this the measurement split can't fill its blocks of text."""

PASSAGE_CHARACTERS = 2_000
"""Least length of a passage, the document that a corpus of few files is cut into."""

MIN_FILES = 20
"""From so many files on, a document is a file."""

SKIPPED_FOLDERS = frozenset(
    ("test", "tests", "idle_test", "site-packages", "dist-packages", "idlelib", "turtledemo", "lib2to3", "pydoc_data")
)
"""Folders of the standard library that hold no documentation of its own, or code that is not part of it."""


@dataclass(frozen=True)
class Document:
    """A text and the name it is sorted by."""

    name: str
    text: str


@dataclass(frozen=True)
class Corpus:
    """Documents without repeated passages, with a content hash and three disjoint splits."""

    name: str
    documents: tuple[Document, ...]

    @cached_property
    def characters(self) -> int:
        """Length of all documents."""
        return sum(len(document.text) for document in self.documents)

    @cached_property
    def sha256(self) -> str:
        """Hash of names and texts, in order: what decides the splits and everything downstream."""
        digest = hashlib.sha256()
        for document in self.documents:
            for part in (document.name, document.text):
                encoded = _bytes(part)
                digest.update(len(encoded).to_bytes(8, "big") + encoded)
        return digest.hexdigest()

    @cached_property
    def _splits(self) -> dict[Split, tuple[Document, ...]]:
        # The order of name hashes is a fixed shuffle; quotas, unlike a threshold on the hash, leave no split empty.
        shuffled = sorted(self.documents, key=lambda document: hashlib.sha256(_bytes(document.name)).digest())
        dealt = iter(shuffled)
        splits: dict[Split, tuple[Document, ...]] = {
            split: tuple(_until(dealt, share * self.characters)) for split, share in SHARES.items()
        }
        splits["train"] = tuple(dealt)
        return splits

    def split(self, split: Split) -> tuple[Document, ...]:
        """The documents of a split, in a fixed shuffled order."""
        return self._splits[split]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")  # what stands for the bytes of file names that are not UTF-8


def _until(documents: Iterator[Document], characters: float) -> Iterator[Document]:
    taken = 0
    while taken < characters and (document := next(documents, None)) is not None:
        taken += len(document.text)
        yield document


@cache
def python_topics() -> Corpus:
    """The reference of Python's syntax that ``help()`` shows, one document per topic; about 0.46 M characters."""
    from pydoc_data.topics import topics

    return _corpus("python-topics", ((f"topics/{name}", [text]) for name, text in sorted(topics.items())))


@cache
def python_documentation() -> Corpus:
    """`python_topics` and the standard library's docstrings, one document per module; about 2.1 M characters.

    Modules are parsed, never imported. Both texts vary with the version of Python: `Corpus.sha256` tells.
    Raises `InputError` for a Python without the library's source.
    """
    documents = [(document.name, [document.text]) for document in python_topics().documents]
    library = Path(sysconfig.get_path("stdlib"))
    for path in _python_files(library):
        documents.append((f"library/{path.relative_to(library).as_posix()}", list(_docstrings(path))))
    corpus = _corpus("python-documentation", documents)
    if corpus.characters < 2 * python_topics().characters:
        raise InputError(
            f"this Python has no readable source of its standard library in {library}, so there is no built-in "
            "text to train on: give your own with --corpus"
        )
    return corpus


def _python_files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and name != "__pycache__")
        yield from (Path(place, name) for name in sorted(files) if name.endswith(".py"))


def _docstrings(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):  # sample files that are no valid source
        return
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
        # Definitions are statements: the far more numerous expressions need no visit.
        blocks = (getattr(node, name, ()) for name in ("body", "orelse", "finalbody", "handlers"))
        statements = [child for block in blocks if isinstance(block, list) for child in block]
        waiting.extend(reversed(statements))


def read_corpus(path: Path) -> Corpus:
    """A user's corpus: a text file, or a folder searched for ``*.txt``; UTF-8.

    With `MIN_FILES` files or more a document is a file, else a passage of some paragraphs. Raises `InputError` for a
    path that is missing, unreadable, not UTF-8, or holds too little text.
    """
    try:
        files, top = (sorted(path.rglob("*.txt")), path) if path.is_dir() else ([path], path.parent)
        texts = {file.relative_to(top).as_posix(): file.read_text(encoding="utf-8") for file in files}
    except FileNotFoundError as error:
        raise InputError(f"there is no corpus at {path}: give a text file, or a folder of .txt files") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the corpus {path} is not UTF-8 text ({error.reason}): convert it first") from error
    except OSError as error:
        raise InputError(f"can't read the corpus {path} ({error.strerror or error}): check its permissions") from error
    if len(texts) >= MIN_FILES:
        documents = [(name, [text]) for name, text in texts.items()]
    else:
        documents = [
            (f"{name}#{number:06}", [passage])
            for name, text in texts.items()
            for number, passage in enumerate(_passages(text))
        ]
    corpus = _corpus(path.name, documents)
    if corpus.characters < MIN_CHARACTERS:
        raise InputError(
            f"the corpus {path} holds {corpus.characters} characters of distinct text in {len(texts)} file(s), and at "
            f"least {MIN_CHARACTERS} are needed to train, fit and measure on separate text: give more text"
        )
    for split in SHARES:
        held = sum(len(document.text) for document in corpus.split(split))
        if held > 2 * SHARES[split] * corpus.characters + PASSAGE_CHARACTERS or not corpus.split("train"):
            raise InputError(
                f"the corpus {path} can't be split into text to train, fit and measure on: one of its documents holds "
                "most of it; cut it into more files"
            )
    return corpus


def _passages(text: str) -> Iterator[str]:
    """Cuts at blank lines, or at any line end where a text has no blank lines, into passages of some length."""
    passage: list[str] = []
    length = 0
    longest = 2 * PASSAGE_CHARACTERS
    lines = (line[start : start + longest] for line in text.splitlines() for start in range(0, len(line) or 1, longest))
    for line in lines:
        passage.append(line)
        length += len(line) + 1
        if length >= PASSAGE_CHARACTERS and (not line.strip() or length >= 2 * PASSAGE_CHARACTERS):
            yield "\n".join(passage)
            passage, length = [], 0
    if passage:
        yield "\n".join(passage)


def _corpus(name: str, documents: Iterable[tuple[str, list[str]]]) -> Corpus:
    """Joins the texts of each document, leaving out empty ones and those seen before: splits must share no text."""
    seen: set[str] = set()
    kept: list[Document] = []
    for title, texts in documents:
        fresh = []
        for text in map(cleandoc, texts):
            text = text.strip()
            if text and text not in seen:
                seen.add(text)
                fresh.append(text)
        if fresh:
            kept.append(Document(title, "\n\n".join(fresh) + "\n"))
    return Corpus(name, tuple(kept))
