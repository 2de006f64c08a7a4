"""``python -m manifoldtheory`` is the command ``manifoldtheory``."""

from manifoldtheory.app.cli import main

if __name__ == "__main__":
    main()
