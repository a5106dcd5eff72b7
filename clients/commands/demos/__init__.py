"""The demonstrations: whole games on this machine, by a process for each part."""
