"""The command line and the report: the only rooms that know a terminal or a browser."""
