"""Requests about games: lists, play, rulings, chat, marks, branches."""
