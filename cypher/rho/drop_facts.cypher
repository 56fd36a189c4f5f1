// Takes away facts of a snapshot that is being cleared away: at most so many events, then so many nodes with their edges.
// Takes: key (of the snapshot), limit
// Gives: number (how many there were)
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WHERE s.state = 2
MATCH (s)-[:RHO_NODE|RHO_EVENT]->(x)
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS number
