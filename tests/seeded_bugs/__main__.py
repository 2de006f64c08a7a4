"""``python -m tests.seeded_bugs [PART OF A NAME]…``: which of the seeded bugs do the tests notice?

Exit 0: all caught. 1: some survived. 2: a bug is stale, its tests can't run, or they fail without it.
"""

import os
import sys
import time

from manifoldtheory.errors import InputError
from tests.seeded_bugs.bugs import BUGS
from tests.seeded_bugs.runner import Outcome, Trial, run_all


def main(parts: list[str]) -> int:
    bugs = [bug for bug in BUGS if not parts or any(part in bug.name or part in bug.path for part in parts)]
    if not bugs:
        print(f"no seeded bug has {' or '.join(map(repr, parts))} in its name or path", file=sys.stderr)
        return 2
    done, start = 0, time.perf_counter()

    def report(trial: Trial) -> None:
        nonlocal done
        done += 1
        print(
            f"{done:3}/{len(bugs)}  {trial.outcome:8}  {trial.seconds:5.1f} s  {trial.bug.path.split('/', 1)[1]}: "
            f"{trial.bug.name}",
            flush=True,
        )

    try:
        print(f"{len(bugs)} seeded bugs; first their tests without any …", flush=True)
        trials = run_all(bugs, min(2, os.cpu_count() or 1), report)
    except InputError as error:
        print(f"seeded bugs: {error}", file=sys.stderr)
        return 2
    for trial in trials:
        if trial.outcome == Outcome.SURVIVED:
            print(f"\nnot noticed: {trial.bug.name}\n  {trial.bug.path}\n  - {trial.bug.before}\n  + {trial.bug.after}")
            print(f"  by {', '.join(trial.bug.tests)}")
        elif trial.outcome == Outcome.BROKEN:
            print(f"\nno verdict: {trial.bug.name}\n{trial.output[-1500:]}")
    caught = sum(trial.outcome == Outcome.CAUGHT for trial in trials)
    print(f"\ncaught {caught}/{len(trials)} in {time.perf_counter() - start:.0f} s")
    if any(trial.outcome == Outcome.BROKEN for trial in trials):
        return 2
    return 0 if caught == len(trials) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
