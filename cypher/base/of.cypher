// The base of a graph's generation.
// Takes: g, seq
// Gives: ts, text, one part a record, in order; none where it has no base
// Leans on: checkpoint_g
MATCH (x:Checkpoint {g: $g}) WHERE x.seq = $seq
WITH x ORDER BY x.number
RETURN x.ts AS ts, x.text AS text
