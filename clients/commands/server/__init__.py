"""What the operator of a server does on its machine."""
