"""Byte-level BPE trained on the corpus, and the windows of tokens that models read."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from jaxtyping import Int
from torch import Tensor

from manifoldtheory.errors import InputError
from real_models.corpora import Document

if TYPE_CHECKING:
    from tokenizers import Tokenizer

END_OF_TEXT = "<|endoftext|>"
"""The only special token: it ends a document."""


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Keeps the tokenizer's threads unused: once used, every later fork of the user's process prints a warning."""
    name = "TOKENIZERS_PARALLELISM"
    before = os.environ.get(name)
    os.environ[name] = "false"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def train_tokenizer(documents: Iterable[Document], vocabulary: int) -> "Tokenizer":
    """Byte-level BPE with at most `vocabulary` entries, of which `END_OF_TEXT` is number 0; deterministic."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    with _single_threaded():
        tokenizer.train_from_iterator((document.text for document in documents), trainer)
    return tokenizer


def special_tokens(tokenizer: "Tokenizer") -> tuple[int, ...]:
    """Numbers of the tokenizer's special tokens, sorted."""
    added = tokenizer.get_added_tokens_decoder()
    return tuple(sorted(number for number, token in added.items() if token.special))


def token_stream(tokenizer: "Tokenizer", documents: Iterable[Document]) -> Int[Tensor, " n"]:
    """The documents' tokens in a row, each document ended by `END_OF_TEXT` where the tokenizer has it."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    numbers: list[int] = []
    with _single_threaded():
        for document in documents:
            numbers += tokenizer.encode(document.text, add_special_tokens=False).ids
            if end is not None:
                numbers.append(end)
    return torch.tensor(numbers, dtype=torch.int64)


def windows(
    tokenizer: "Tokenizer", documents: Iterable[Document], count: int, length: int, *, multiple: int = 1
) -> Int[Tensor, "n length+1"]:
    """At most `count` windows of `length` tokens and the one that follows, evenly spread, without overlap.

    The token that follows gives the last position a target of its own: without one its gradient is exactly zero, since
    in a causal model nothing else looks at it. Their number is a multiple of `multiple`. Raises `InputError` when the
    text is too short for two of each.
    """
    stream = token_stream(tokenizer, documents)
    there = len(stream) // (length + 1)
    if there < 2 * multiple:
        raise InputError(
            f"a split of the corpus has {len(stream)} tokens, and {2 * multiple} windows of {length + 1} are needed: "
            "give more text"
        )
    count = min(count, there // multiple * multiple)
    chosen = torch.arange(count) * there // count
    return stream[: there * (length + 1)].view(there, length + 1)[chosen]
