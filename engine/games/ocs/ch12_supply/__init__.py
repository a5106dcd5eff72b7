"""OCS 12: supply."""
