// Says that a snapshot is one of a graph's.
// Takes: graph (key), key (of the snapshot)
// Leans on: rho_graph_key, rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WITH s
MATCH (g:RhoGraph {key: $graph})
MERGE (g)-[:RHO_SNAPSHOT]->(s)
