"""Connections: their limits, and what they withstand."""
