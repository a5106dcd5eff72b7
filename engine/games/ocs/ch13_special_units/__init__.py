"""OCS 13: specialised units: transport, railways, reinforcements, engineers."""
