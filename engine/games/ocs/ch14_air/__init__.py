"""OCS 14: air."""
