import re

from manifoldtheory.ledger.environment import git_commit, installed_versions


def test_versions_name_what_is_missing():
    found = installed_versions(("manifoldtheory", "no-such-distribution"))
    assert set(found) == {"python", "manifoldtheory", "no-such-distribution"}
    assert found["manifoldtheory"]
    assert found["no-such-distribution"] is None


def test_commit_of_a_checkout():
    commit = git_commit()
    assert commit is None or re.fullmatch(r"[0-9a-f]{40}(-dirty)?", commit)
