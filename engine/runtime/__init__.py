"""Games at run time: one trio task a game, the store behind it, and those who follow its log in front of it."""
