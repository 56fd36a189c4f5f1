// Deleted graphs of which something is left: key of the generation, and between which places there may be events.
// Takes: pending (1)
// Gives: id, g, low, high, one a record
// Leans on: deleted_left
MATCH (x:Deleted {left: $pending})
RETURN x.id AS id, x.g AS g, x.low AS low, x.high AS high
