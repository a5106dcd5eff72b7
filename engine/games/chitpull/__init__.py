"""What the chit-pull titles share: functions over small records; no base class that knows all
games."""
