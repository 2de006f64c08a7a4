"""Peak memory of a function, in a process of its own."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def peak_memory() -> int:
    """Largest resident size of this process so far, in bytes."""
    try:
        # Not getrusage on Linux: there a child starts with the mark its parent had reached.
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def in_fresh_process(function: str, *arguments: Any) -> Any:
    """What ``module:function`` returns there for JSON-able arguments; raises `RuntimeError` with its last words."""
    command = [sys.executable, "-m", "benchmarks.memory", function, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise RuntimeError(f"{function} failed in its own process: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    module, name = sys.argv[1].split(":")
    print(json.dumps(getattr(importlib.import_module(module), name)(*json.loads(sys.argv[2]))))
