// Nodes of a snapshot that is not current in any graph stand for nothing any more.
// (Asked so, no index offers itself: Neo4j would look through that of all mirrors.)
// Takes: key (of the snapshot)
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WHERE NOT EXISTS { (s)<-[:RHO_CURRENT]-() }
MATCH (s)-[:RHO_NODE]->(n:RhoNode)
WHERE coalesce(n.mirrors, '') <> ''
SET n.mirrors = null
