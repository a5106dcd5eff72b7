"""OCS 17: weather."""
