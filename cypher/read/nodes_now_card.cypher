// The current states of a graph's nodes that are not newer than a place: that and what a tree view shows. No state that has ended.
// Takes: g, seq, graph
// Gives: rows (lists, CARD in app/store/nodes.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: node_g, graph_id
MATCH (n:Node {g: $g}) WHERE n.since <= $seq
WITH collect([n.ref, n.since, n.provider, n.kind, n.parent, n.root, n.session, n.depth, n.state, n.agent_type, n.created, n.last_event,
              n.blocked_on, n.blocked_node_count, n.created_text, n.placed, n.active_ns, n.asking_ns, n.requested_by, n.attention,
              n.title, n.headline, n.purpose, n.child_count, n.descendant_count]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
