"""Accounts, tokens that only look, and notifications."""
