"""The compiled engine: the only place that knows what a move does to a tableau."""
