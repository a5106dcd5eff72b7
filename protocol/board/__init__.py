"""What clients draw and ask: boards, effects, hex maps, choices."""
