// All edges of some snapshots.
// Takes: keys (of the snapshots)
// Gives: a record for each that has any: snapshot (key), rows (lists of id and body)
// Leans on: rho_snapshot_key
UNWIND $lists.keys AS key
MATCH (s:RhoSnapshot {key: key})-[:RHO_NODE]->(n:RhoNode)
MATCH (n)-[e:RHO_CONTAINS|RHO_DEPENDS_ON|RHO_REFERENCES|RHO_PRODUCED|RHO_GOVERNED_BY|RHO_VALIDATED_BY]->(:RhoNode)
RETURN s.key AS snapshot, collect([e.id, e.body]) AS rows
