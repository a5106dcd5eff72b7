"""OCS 16: hedgehogs."""
