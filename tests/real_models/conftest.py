"""A small corpus and a small training that the tests share, and a cache folder of their own."""

from pathlib import Path

import pytest
import torch

from real_models.cache import VARIABLE
from real_models.checkpoints import CheckpointFolder
from real_models.corpora import Corpus, Document, python_topics
from real_models.training import Recipe, train

CPU = torch.device("cpu")
TINY = Recipe(hidden_size=32, layers=2, heads=2, vocabulary=300, context=16, batch=2, steps=3, warmup=1)


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def small_corpus() -> Corpus:
    """Thirty topics, their beginnings only."""
    documents = python_topics().documents[:30]
    return Corpus("small", tuple(Document(document.name, document.text[:3000]) for document in documents))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, small_corpus: Corpus) -> CheckpointFolder:
    """Checkpoints of a tiny model after 0, 1, 2 and 3 steps."""
    folder = tmp_path_factory.mktemp("tiny")
    train(TINY, small_corpus, folder, device=CPU)
    return CheckpointFolder(folder)
