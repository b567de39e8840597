"""Three HTTP dialects over one engine."""
