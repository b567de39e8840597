"""How a digest is made: what events are, which count, and what they change. All of it but the verbs is pure."""
