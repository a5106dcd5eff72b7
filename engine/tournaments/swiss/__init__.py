"""Swiss systems: `dutch`, FIDE C.04.3, and `record`, what wargamers do, made exact."""
