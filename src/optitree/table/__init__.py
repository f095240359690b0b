"""Tables as they come become columns, a target and weights."""
