"""A Victory Lost: one file a chapter of the rule book; names carry the clause or example number."""
