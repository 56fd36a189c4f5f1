// Takes a snapshot's lock for the rest of the transaction.
// Takes: key
// Gives: state (0: being written, 1: whole, 2: being cleared away), generated_at, body_sha256; nothing where there is none
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
SET s.lock = coalesce(s.lock, 0) + 1
RETURN s.state AS state, s.generated_at AS generated_at, s.body_sha256 AS body_sha256
