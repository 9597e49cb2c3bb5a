"""`python -m mlcore`: the same as the command `mlcore`."""

from mlcore.cli import main

main()
