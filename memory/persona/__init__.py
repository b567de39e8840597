"""Who the people are, as the character sees them."""
