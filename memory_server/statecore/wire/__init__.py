"""What stands in requests and answers of this dialect."""
