"""Explorers: one line in a notebook gives controls and a figure (`from mlcore.explore import ridge as explore`)."""
