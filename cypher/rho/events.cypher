// All events of some snapshots.
// Takes: keys (of the snapshots)
// Gives: a record for each that has any: snapshot (key), rows (lists of id and body)
// Leans on: rho_snapshot_key
UNWIND $lists.keys AS key
MATCH (s:RhoSnapshot {key: key})-[:RHO_EVENT]->(v:RhoEvent)
RETURN s.key AS snapshot, collect([v.id, v.body]) AS rows
