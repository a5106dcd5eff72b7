"""What seats sign and do, who sits in them, and whether they may."""
