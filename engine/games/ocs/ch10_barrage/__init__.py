"""OCS 10: barrages."""
