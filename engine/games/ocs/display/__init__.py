"""What clients draw and tell of a game of the series, and what a player may ask (OCS 4.8b, 4.9)."""
