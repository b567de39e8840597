"""What is asked of machine learning: text in, text or vectors out."""
