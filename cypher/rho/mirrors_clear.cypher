// Nodes of a snapshot that is not current in any graph stand for nothing any more.
// Takes: key (of the snapshot)
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WHERE NOT EXISTS { (s)<-[:RHO_CURRENT]-() }
MATCH (s)-[:RHO_NODE]->(n:RhoNode)
WHERE n.mirrors IS NOT NULL
SET n.mirrors = null
