"""The owner's door: what a person asks of their own memories while a server holds them."""
