"""What makes a server one node of a fleet, or an edge."""
