"""What runs where the student's code runs: it asks and keeps what comes back, and never judges.

A sandbox has this folder, the mathematics, and nothing else of ours but its own door.
"""
