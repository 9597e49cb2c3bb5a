"""What the user can mend."""


class Problem(Exception):
    """Something the user got wrong or can put right; the message is one line for them."""
