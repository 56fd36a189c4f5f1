// Takes a graph's checkpoints away from one place up to another, both included.
// Takes: g, low, high
// Leans on: checkpoint_g
MATCH (x:Checkpoint {g: $g})
WHERE x.seq >= $low AND x.seq <= $high
DELETE x
