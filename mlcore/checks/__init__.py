"""The exercises of every topic: content and nothing else. `from mlcore.checks.ridge import check`."""
