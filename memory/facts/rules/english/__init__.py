"""English: its wordings, its grammar, its voice."""
