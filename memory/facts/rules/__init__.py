"""Facts from plain speech by rules alone, for English and Chinese: pure, certain or silent."""
