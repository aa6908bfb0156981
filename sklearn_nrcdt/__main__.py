"""The command line: ``python -m sklearn_nrcdt`` is ``nrcdt``."""

import sys

from sklearn_nrcdt._commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
