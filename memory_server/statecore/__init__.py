"""The StateCore dialect: scopes, events, retrieval under a budget, notes, the audit trail and reminders."""
