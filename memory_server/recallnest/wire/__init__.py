"""What this dialect's requests and answers look like."""
