"""The coverage pages: each clause of a rule book with the code and the test that cite it."""
