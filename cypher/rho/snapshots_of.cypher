// Every whole snapshot of some graphs, in no order.
// Takes: keys (of the graphs)
// Gives: a record for each graph that has any: graph (key), rows (SnapshotRow in app/store/rho/reading.py)
// Leans on: rho_graph_key
UNWIND $lists.keys AS key
MATCH (g:RhoGraph {key: key})-[:RHO_SNAPSHOT]->(s:RhoSnapshot)
WHERE s.state = 1
RETURN g.key AS graph, collect([s.key, s.body_sha256, s.digest, s.schema_version, s.generated_at, s.frame, s.node_count, s.edge_count, s.event_count, s.imported_at]) AS rows
