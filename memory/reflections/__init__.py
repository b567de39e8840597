"""What was concluded from facts."""
