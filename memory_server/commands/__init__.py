"""Commands that are imported when they are called for."""
