"""What authors of titles outside the tree are given."""
