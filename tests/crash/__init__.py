"""A real server that is killed again and again while real clients play on it."""
