// The current states of a graph's nodes that are not newer than a place: what order, counts and walks down the tree need. No state that has ended.
// Takes: g, seq, graph
// Gives: rows (lists, STRUCTURE in app/store/nodes.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: node_g, graph_id
MATCH (n:Node {g: $g}) WHERE n.since <= $seq
WITH collect([n.ref, n.since, n.kind, n.parent, n.state, n.created, n.last_event, n.blocked_node_count, n.created_text, n.placed,
              n.active_ns, n.asking_ns]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
