"""Every sentence the service itself says, in eight languages."""
