"""The games of a server while they run: one trio task for each game, with the store behind it and
the connections that follow its log in front of it."""
