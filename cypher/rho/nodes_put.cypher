// New nodes of a snapshot.
// Takes: key (of the snapshot), rows {nodes (whole rows)}
// Gives: number
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
UNWIND $rows.nodes AS row
CREATE (s)-[:RHO_NODE]->(n:RhoNode)
SET n = row
RETURN count(*) AS number
