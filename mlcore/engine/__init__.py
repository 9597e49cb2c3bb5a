"""What every exercise and every explorer shares: no topic is named in here."""
