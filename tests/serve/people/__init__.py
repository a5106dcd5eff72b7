"""Accounts, roles and notifications."""
