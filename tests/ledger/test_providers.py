from importlib import metadata

import pytest

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Kind, Request, load_providers, providers


def test_the_three_columns_are_installed():
    found = load_providers()
    assert {provider.kind for provider in found.values()} == set(Kind)
    for provider in found.values():
        assert "energy-concentration" in provider.claims()
        assert provider.plan(Request(size="smoke", claims=("energy-concentration",)))


def test_nothing_installed_is_no_empty_success(monkeypatch):
    monkeypatch.setattr(providers, "entry_points", lambda group: metadata.EntryPoints())
    with pytest.raises(InputError, match="make install"):
        load_providers()
