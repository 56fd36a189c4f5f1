// Snapshots by their keys, whole ones alone.
// Takes: keys
// Gives: rows (SnapshotRow in app/store/rho/reading.py)
// Leans on: rho_snapshot_key
UNWIND $lists.keys AS key
MATCH (s:RhoSnapshot {key: key})
WHERE s.state = 1
RETURN collect([s.key, s.body_sha256, s.digest, s.schema_version, s.generated_at, s.frame, s.node_count, s.edge_count, s.event_count, s.imported_at]) AS rows
