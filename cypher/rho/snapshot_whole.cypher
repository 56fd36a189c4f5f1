// Lets readers see a snapshot, now that all of it is there.
// Takes: key
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WHERE s.state = 0
SET s.state = 1
