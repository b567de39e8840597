"""The memory engine: no HTTP, no environment."""
