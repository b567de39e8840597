"""The raw conversation and its recent window."""
