"""``python -m benchmarks [NAME]… [--size smoke|default] [--json] [--list]``; exit 1 when a target is missed."""

import json
import sys
from dataclasses import asdict
from typing import Annotated, cast, get_args

import typer

from benchmarks.harness import Measurement, Setting, Size, discover, require_peers
from benchmarks.machine import describe
from benchmarks.table import line, print_table, record
from manifoldtheory.errors import InputError, select

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Benchmarks; all when none is given.")]
SizeOption = Annotated[str, typer.Option("--size", metavar="smoke|default", help="smoke only shows that it runs.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
List = Annotated[bool, typer.Option("--list", help="Print the names and what they measure.")]


def main(names: Names = None, size: SizeOption = "default", as_json: Json = False, listing: List = False) -> None:
    """Measures against named peers and limits, in one run; take an idle machine.

    Exit 0: every target is met, or the size is smoke. 1: some are missed. 2: bad usage, or a peer is not installed.
    """
    try:
        known = discover()
        (size,) = select("size", get_args(Size), [size])
        chosen = {name: known[name] for name in select("benchmark", known, names or None)}
        if listing:
            print("\n".join(f"{name:16} {benchmark.title}" for name, benchmark in chosen.items()))
            return
        require_peers(chosen)
    except InputError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    machine, setting = describe(), Setting(cast("Size", size))
    results: dict[str, list[Measurement]] = {}
    for name, benchmark in chosen.items():
        print(f"{name}: {benchmark.title} …", file=sys.stderr, flush=True)
        results[name] = []
        for measurement in benchmark.run(setting):
            results[name].append(measurement)
            print(f"  {line(measurement)}", file=sys.stderr, flush=True)
    if as_json:
        lines = {name: [record(each) for each in measurements] for name, measurements in results.items()}
        print(json.dumps({"machine": machine, "setting": asdict(setting), "results": lines}, ensure_ascii=False))
    else:
        print_table(machine, results, judged=setting.judged)
    if setting.judged and not all(each.met for measurements in results.values() for each in measurements):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
