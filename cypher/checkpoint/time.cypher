// When the state was that a graph's held history begins with.
// Takes: g, floor (the first place that counts as held history)
// Gives: ts; nothing where the graph starts from nothing
// Leans on: checkpoint_g
MATCH (x:Checkpoint {g: $g}) WHERE x.seq < $floor AND x.number = 0 AND x.kind = 'state'
RETURN x.ts AS ts ORDER BY x.seq DESC LIMIT 1
