"""The time by which the server goes, and the deadlines of its games."""
