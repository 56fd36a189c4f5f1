// The ended states of certain nodes' messages that held at a place. Read after the current ones, they win over them.
// Takes: keys (of nodes), seq, graph
// Gives: rows (lists, COLUMNS["message"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: message_version_node, graph_id
UNWIND $lists.keys AS key
MATCH (p:MessageVersion {node: key}) WHERE p.since <= $seq AND p.until > $seq
WITH collect([p.ref, p.since, p.position, p.id, p.direction, p.peer, p.reply_to, p.summary, p.body, p.created]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
