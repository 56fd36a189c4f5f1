// A graph's checkpoints, oldest first.
// Takes: g
// Gives: checkpoints ([seq, event, ts] each, sorted)
// Leans on: checkpoint_g
MATCH (x:Checkpoint {g: $g})
WHERE x.kind = 'state' AND x.number = 0
WITH x ORDER BY x.seq
RETURN collect([x.seq, x.event, x.ts]) AS checkpoints
