"""Tournaments: pairing, standings, ledger and files."""
