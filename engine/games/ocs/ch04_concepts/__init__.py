"""OCS 4: general concepts: rounding, zones of control, stacking, fog of war."""
