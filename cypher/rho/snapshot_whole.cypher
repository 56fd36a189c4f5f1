// Lets readers see a snapshot, now that all of it is there.
// Takes: key
// Gives: row (SnapshotRow in app/store/rho/reading.py)
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
SET s.state = 1
RETURN [s.key, s.body_sha256, s.digest, s.schema_version, s.generated_at, s.frame, s.node_count, s.edge_count, s.event_count, s.imported_at] AS row
