from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from real_models.corpora import (
    MIN_CHARACTERS,
    SHARES,
    Corpus,
    Document,
    Split,
    _corpus,
    _docstrings,
    python_documentation,
    python_topics,
    read_corpus,
)

SPLITS: tuple[Split, ...] = ("train", "fit", "measurement")

documents = st.lists(st.text(min_size=1, max_size=50), min_size=3, max_size=60, unique=True).map(
    lambda texts: tuple(Document(f"document-{number}", text) for number, text in enumerate(texts))
)


def paragraphs(count: int) -> str:
    return "\n\n".join(
        f"Paragraph {number} speaks of {number**2} things, {'again and ' * 20}again." for number in range(count)
    )


@given(documents)
def test_splits_deal_every_document_once(documents: tuple[Document, ...]) -> None:
    corpus = Corpus("any", documents)
    dealt = [document for split in SPLITS for document in corpus.split(split)]
    assert sorted(dealt, key=lambda d: d.name) == sorted(documents, key=lambda d: d.name)


@given(documents)
def test_splits_and_hash_depend_on_content_only(documents: tuple[Document, ...]) -> None:
    first, second = Corpus("one", documents), Corpus("two", documents)
    assert all(first.split(split) == second.split(split) for split in SPLITS)
    assert first.sha256 == second.sha256
    changed = Corpus("one", (*documents[:-1], Document(documents[-1].name, documents[-1].text + "x")))
    assert changed.sha256 != first.sha256


def test_the_hash_tells_where_a_name_ends() -> None:
    assert Corpus("c", (Document("ab", "c"),)).sha256 != Corpus("c", (Document("a", "bc"),)).sha256


def test_quotas_leave_no_split_of_the_topics_empty() -> None:
    corpus = python_topics()
    lengths = {split: sum(len(document.text) for document in corpus.split(split)) for split in SPLITS}
    assert lengths["train"] > 0.5 * corpus.characters
    for split, share in SHARES.items():
        assert lengths[split] >= share * corpus.characters


def test_splits_of_the_topics_share_no_text() -> None:
    corpus = python_topics()
    for first, second in combinations(SPLITS, 2):
        texts = [{document.text for document in corpus.split(split)} for split in (first, second)]
        assert not texts[0] & texts[1]


def test_identical_texts_are_kept_once_and_blank_ones_not() -> None:
    corpus = _corpus("any", [("a", ["Return it.", "  "]), ("b", ["Return it."]), ("c", ["Other.", "Return it.  "])])
    assert corpus.documents == (Document("a", "Return it.\n"), Document("c", "Other.\n"))


def test_docstrings_come_in_order_without_importing(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        '"""Module."""\nraise SystemExit\nif True:\n    def f():\n        "Function."\n'
        'class C:\n    "Class."\n    async def g(self):\n        """Coroutine."""\n'
        "try:\n    pass\nexcept OSError:\n    def h():\n        'Handler.'\n"
    )
    assert [text for text in _docstrings(source) if text] == [
        "Module.",
        "Function.",
        "Class.",
        "Coroutine.",
        "Handler.",
    ]


def test_a_file_that_does_not_parse_has_no_docstrings(tmp_path: Path) -> None:
    source = tmp_path / "broken.py"
    source.write_text("def (")
    assert list(_docstrings(source)) == []


def test_one_file_is_cut_into_passages_for_all_splits(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text(paragraphs(600))
    corpus = read_corpus(file)
    assert all(corpus.split(split) for split in SPLITS)
    assert corpus.characters >= MIN_CHARACTERS
    assert " ".join(document.text for document in corpus.documents).split() == file.read_text().split()


def test_many_files_are_split_by_file(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number}.txt").write_text(
            f"File {number}.\n\n" + paragraphs(30).replace("speaks", f"tells {number}")
        )
    corpus = read_corpus(tmp_path)
    assert sorted(document.name for document in corpus.documents) == sorted(f"{number}.txt" for number in range(25))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no corpus at"),
        (b"", "holds 0 characters"),
        (b"short", f"at least {MIN_CHARACTERS}"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_corpus_that_cant_be_used_says_why(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "corpus.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_corpus(file)


def test_a_folder_without_text_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(paragraphs(600))
    with pytest.raises(InputError, match="holds 0 characters"):
        read_corpus(tmp_path)


def test_the_documentation_is_topics_and_docstrings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("a", "b", "test"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "module.py").write_text(f'"""{name} {"documents itself. " * 40_000}"""')
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    corpus = python_documentation.__wrapped__()
    names = [document.name for document in corpus.documents if document.name.startswith("library/")]
    assert names == ["library/a/module.py", "library/b/module.py"]
    assert corpus.characters > python_topics().characters + 1_300_000


def test_a_python_without_source_asks_for_a_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    with pytest.raises(InputError, match="give your own with --corpus"):
        python_documentation.__wrapped__()
