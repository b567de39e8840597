"""Looking a data root over without opening it."""
