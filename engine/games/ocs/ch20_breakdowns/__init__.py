"""OCS 20: breakdowns."""
