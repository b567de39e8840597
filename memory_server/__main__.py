"""``python -m memory_server`` is ``memory-server``."""

from __future__ import annotations

import sys

from memory_server.cli import main

if __name__ == "__main__":
    main(sys.argv[1:], program="python -m memory_server")
