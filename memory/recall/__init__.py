"""Pure search over documents."""
