// The base of a graph's generation.
// Takes: g, seq
// Gives: number, parts, ts, text, one part a record, in order; none where it has no base
// Leans on: checkpoint_g
MATCH (x:Checkpoint {g: $g}) WHERE x.seq = $seq
RETURN x.number AS number, x.parts AS parts, x.ts AS ts, x.text AS text
ORDER BY number
