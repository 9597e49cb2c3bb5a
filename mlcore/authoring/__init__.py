"""The author's side: a new topic, and the proof that a topic keeps what the course promises."""
