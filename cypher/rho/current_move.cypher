// Lets readers see a snapshot, now that all of it is there, and points its graph at it. What was current until then stands for nothing any
// more, unless another graph has it. Readers look at the property: a pointer that moves is gone for a moment.
// (Its nodes are asked so that no index offers itself: Neo4j would look through that of all mirrors.)
// The first SETs take locks. No answer: the graph has another current snapshot than `current`, or this one is being cleared away.
// Takes: graph (key), key (of the snapshot), current (key of its current snapshot, or the graph's own if it has none)
// Gives: row (SnapshotRow in app/store/rho/reading.py), rows (lists: Held in app/store/rho/writing.py)
// Leans on: rho_graph_key, rho_snapshot_key
MATCH (g:RhoGraph {key: $graph})
SET g.lock = coalesce(g.lock, 0) + 1
WITH g
WHERE coalesce(g.current, g.key) = $current
MATCH (s:RhoSnapshot {key: $key})
SET s.lock = coalesce(s.lock, 0) + 1
WITH g, s
WHERE s.state < 2
MATCH (s)<-[:RHO_SNAPSHOT]-(g)
SET s.state = 1
WITH g, s
OPTIONAL MATCH (g)-[c:RHO_CURRENT]->(old:RhoSnapshot)
DELETE c
WITH DISTINCT g, s, old
CREATE (g)-[:RHO_CURRENT]->(s)
SET g.current = s.key
WITH g, s, old
CALL {
  WITH old
  MATCH (old)-[:RHO_NODE]->(n:RhoNode)
  WHERE coalesce(n.mirrors, '') <> '' AND NOT EXISTS { (old)<-[:RHO_CURRENT]-() }
  SET n.mirrors = null
  RETURN count(*) AS cleared
}
MATCH (g)-[:RHO_SNAPSHOT]->(h:RhoSnapshot)
RETURN [s.key, s.body_sha256, s.digest, s.schema_version, s.generated_at, s.frame, s.node_count, s.edge_count, s.event_count, s.imported_at] AS row,
       collect([h.key, h.state, h.generated_at, h.body_sha256, COUNT { (h)<-[:RHO_ACCEPTED]-() }]) AS rows
