"""Sentences in any language, and the texts that people write."""
