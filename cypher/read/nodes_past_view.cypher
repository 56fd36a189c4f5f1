// The ended states of a graph's nodes that held at a place: that and what a line of a tree shows. Read after the current ones, they win over them.
// Takes: g's slots right and left ("g|slot") that a span holding seq can have, seq, graph
// Gives: rows (lists, VIEW in app/store/nodes.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: node_version_right, node_version_left, graph_id
CALL {
  UNWIND $lists.right AS slot MATCH (v:NodeVersion {right: slot}) WHERE v.until > $seq
  RETURN collect([v.ref, v.since, v.kind, v.parent, v.state, v.created, v.last_event, v.blocked_node_count, v.created_text, v.placed,
                  v.active_ns, v.asking_ns, v.title, v.headline, v.purpose, v.agent_type, v.child_count]) AS ended
  UNION ALL
  UNWIND $lists.left AS slot MATCH (v:NodeVersion {left: slot}) WHERE v.since <= $seq
  RETURN collect([v.ref, v.since, v.kind, v.parent, v.state, v.created, v.last_event, v.blocked_node_count, v.created_text, v.placed,
                  v.active_ns, v.asking_ns, v.title, v.headline, v.purpose, v.agent_type, v.child_count]) AS ended
}
WITH collect(ended) AS both
WITH both[0] + both[1] AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
