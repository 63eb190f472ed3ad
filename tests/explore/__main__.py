"""`python -m tests.explore`: see `campaign`."""

from __future__ import annotations

import sys

from .campaign import main

if __name__ == "__main__":
    sys.exit(main())
