// Makes a Rho graph, and a snapshot of it without facts, where they are new, and takes the locks of both for the rest of the transaction.
// Takes: graph (key, M4), key (of the snapshot), rows {graph, snapshot (their properties)}
// Gives: state (0: being written, 1: whole, 2: being cleared away), created (whether the snapshot is new); of the graph's current snapshot
//        current (its key), generated_at, body_sha256, all null if there is none
// Leans on: rho_graph_key, rho_snapshot_key
MERGE (g:RhoGraph {key: $graph})
SET g += $rows.graph, g.lock = coalesce(g.lock, 0) + 1
MERGE (s:RhoSnapshot {key: $key})
ON CREATE SET s += $rows.snapshot
SET s.lock = coalesce(s.lock, 1) + 1
MERGE (g)-[:RHO_SNAPSHOT]->(s)
WITH g, s
OPTIONAL MATCH (c:RhoSnapshot {key: g.current})
RETURN s.state AS state, s.lock = 1 AS created, c.key AS current, c.generated_at AS generated_at, c.body_sha256 AS body_sha256
