"""OCS 3: units and markers."""
