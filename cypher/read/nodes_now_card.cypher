// The current states of a graph's nodes that are not newer than a place: that and what filters and walks along waits need. No state that has ended.
// Takes: g, seq, graph
// Gives: rows (lists, CARD in app/store/nodes.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: node_g, graph_id
MATCH (n:Node {g: $g}) WHERE n.since <= $seq
WITH collect([n.ref, n.since, n.kind, n.parent, n.state, n.created, n.last_event, n.blocked_node_count, n.created_text, n.placed,
              n.active_ns, n.asking_ns, n.title, n.headline, n.purpose, n.agent_type, n.child_count, n.provider, n.root, n.session,
              n.depth, n.blocked_on, n.requested_by, n.attention, n.descendant_count]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
