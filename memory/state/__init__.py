"""What a scope knows of itself: retrieval under a budget, notes, the audit trail, reminders."""
