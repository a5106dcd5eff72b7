"""OCS 2: the sequence of play."""
