// Takes the locks of a graph and of one of its snapshots for the rest of the transaction, and says what the graph holds.
// Takes: graph (key), key (of the snapshot)
// Gives: current (key of the graph's current snapshot, null if it has none), rows (lists: Held in app/store/rho/writing.py); nothing where
//        one of the two is not there
// Leans on: rho_graph_key, rho_snapshot_key
MATCH (g:RhoGraph {key: $graph})
SET g.lock = coalesce(g.lock, 0) + 1
WITH g
MATCH (s:RhoSnapshot {key: $key})
SET s.lock = coalesce(s.lock, 0) + 1
WITH g
MATCH (g)-[:RHO_SNAPSHOT]->(s:RhoSnapshot)
RETURN g.current AS current, collect([s.key, s.state, s.generated_at, s.body_sha256, COUNT { (s)<-[:RHO_ACCEPTED]-() }]) AS rows
