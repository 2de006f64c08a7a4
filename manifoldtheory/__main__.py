"""``python -m manifoldtheory``: the command line, also from a source tree in which nothing was installed."""

import sys

if __name__ == "__main__":
    try:
        from manifoldtheory.app.cli import main
    except ModuleNotFoundError as missing:
        print(f"error: {missing.name} is not installed: run `make install` and use its environment", file=sys.stderr)
        sys.exit(2)
    main()
