"""`python -m bench [NAME…] [--engine embedded|neo4j] [--quick] [--json FILE]` (O32)."""

from __future__ import annotations

import sys

from bench.cli import main

sys.exit(main(sys.argv[1:]))
