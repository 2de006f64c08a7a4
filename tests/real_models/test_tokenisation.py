import os

import pytest
import torch

from manifoldtheory.errors import InputError
from real_models.corpora import Corpus, Document
from real_models.tokenisation import END_OF_TEXT, special_tokens, token_stream, train_tokenizer, windows


@pytest.fixture(scope="module")
def tokenizer(small_corpus: Corpus):
    return train_tokenizer(small_corpus.split("train"), 400)


def test_training_is_deterministic_and_sized(tokenizer, small_corpus: Corpus) -> None:
    assert tokenizer.get_vocab_size() == 400
    assert tokenizer.to_str() == train_tokenizer(small_corpus.split("train"), 400).to_str()


def test_it_spells_any_text(tokenizer) -> None:
    text = "naïve Ωμέγα 東京\n\tdef f(x): return x"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_the_end_of_text_is_the_only_special_token(tokenizer) -> None:
    assert special_tokens(tokenizer) == (0,)
    assert tokenizer.id_to_token(0) == END_OF_TEXT


def test_documents_are_separated_in_the_stream(tokenizer) -> None:
    stream = token_stream(tokenizer, [Document("a", "alpha"), Document("b", "beta")])
    ends = (stream == 0).nonzero().flatten().tolist()
    assert len(ends) == 2
    assert ends[-1] == len(stream) - 1
    assert tokenizer.decode(stream[: ends[0]].tolist()) == "alpha"


def test_windows_are_distinct_pieces_of_the_stream_in_order(tokenizer, small_corpus: Corpus) -> None:
    documents = small_corpus.split("train")
    stream = token_stream(tokenizer, documents)
    chosen = windows(tokenizer, documents, 10, 16)
    assert chosen.shape == (10, 17)
    pieces = stream[: len(stream) // 17 * 17].view(-1, 17).tolist()
    places = [pieces.index(window) for window in chosen.tolist()]
    assert places == sorted(set(places))
    assert places[-1] > 0.8 * len(pieces)


def test_fewer_windows_when_the_text_is_short_but_a_multiple(tokenizer) -> None:
    documents = [Document("a", "word and letter " * 60)]
    assert len(windows(tokenizer, documents, 1000, 4, multiple=8)) % 8 == 0
    with pytest.raises(InputError, match="give more text"):
        windows(tokenizer, documents, 1000, 200, multiple=8)


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch, tokenizer) -> None:
    for value in (None, "true"):
        if value is None:
            monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
        else:
            monkeypatch.setenv("TOKENIZERS_PARALLELISM", value)
        token_stream(tokenizer, [Document("a", "alpha")])
        assert os.environ.get("TOKENIZERS_PARALLELISM") == value


def test_streams_are_whole_numbers(tokenizer) -> None:
    assert token_stream(tokenizer, [Document("a", "alpha")]).dtype == torch.int64
