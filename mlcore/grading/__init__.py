"""The instructor's side: a class graded, recorded and understood."""
