// Takes away a snapshot that is being cleared away and has no facts left.
// Takes: key
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WHERE s.state = 2
DETACH DELETE s
