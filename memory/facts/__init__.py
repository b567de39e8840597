"""Durable statements."""
