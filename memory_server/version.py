"""The version, as pyproject.toml has it: a source tree that nobody installed must know it too."""

VERSION = "0.1.0"
