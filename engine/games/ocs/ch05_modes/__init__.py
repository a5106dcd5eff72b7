"""OCS 5: modes and reserves."""
