// The current states of certain nodes' messages, whatever their age.
// Takes: keys (of nodes), graph
// Gives: rows (lists, COLUMNS["message"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: message_node, graph_id
UNWIND $lists.keys AS key
MATCH (p:Message {node: key})
WITH collect([p.ref, p.since, p.position, p.id, p.direction, p.peer, p.reply_to, p.summary, p.body, p.created]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
