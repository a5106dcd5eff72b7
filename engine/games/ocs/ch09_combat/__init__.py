"""OCS 9: ground combat."""
