"""Where work stood when it was left: checkpoints, what a new window starts from, and how workflows fared."""
