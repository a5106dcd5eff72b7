"""OCS 21: optional rules."""
