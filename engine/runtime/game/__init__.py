"""One game at run time: its task, the jobs it is given, and what time requires of it."""
