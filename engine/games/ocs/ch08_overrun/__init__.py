"""OCS 8: overruns."""
