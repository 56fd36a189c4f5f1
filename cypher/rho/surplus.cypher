// What a graph holds besides its current snapshot, and what keeps each.
// Takes: graph (key)
// Gives: rows (lists of key, state, generated_at, body_sha256, how many uploads point to it)
// Leans on: rho_graph_key
MATCH (g:RhoGraph {key: $graph})-[:RHO_SNAPSHOT]->(s:RhoSnapshot)
WHERE s.key <> g.current
RETURN collect([s.key, s.state, s.generated_at, s.body_sha256, COUNT { (s)<-[:RHO_ACCEPTED]-() }]) AS rows
