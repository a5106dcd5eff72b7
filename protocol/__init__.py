"""What an outside client or auditor needs, and all that it needs.

Pure: no input or output, no clock, no randomness. `README.md` in this folder describes the log and
the messages in words and bytes.
"""
