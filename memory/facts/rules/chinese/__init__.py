"""Chinese: its wordings, its grammar, its voice."""
