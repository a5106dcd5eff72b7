"""OCS 15: air bases."""
