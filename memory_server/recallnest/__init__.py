"""The RecallNest dialect: an agent's memories, checkpoints and workflow observations over HTTP."""
