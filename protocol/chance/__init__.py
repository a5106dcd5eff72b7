"""Dice, draws and secrets in a public log. `chance.md` has the constructions."""
