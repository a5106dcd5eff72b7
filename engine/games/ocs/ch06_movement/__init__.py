"""OCS 6: ground movement."""
