"""The reader of sources: what a line of a derivation says, from its syntax tree, without running it."""
