// Points a graph at its newest snapshot. Readers look at the property: a pointer that moves is gone for a moment.
// Takes: graph (key), key (of the snapshot)
// Leans on: rho_graph_key, rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
WITH s
MATCH (g:RhoGraph {key: $graph})
OPTIONAL MATCH (g)-[c:RHO_CURRENT]->(:RhoSnapshot)
DELETE c
WITH DISTINCT g, s
CREATE (g)-[:RHO_CURRENT]->(s)
SET g.current = s.key
