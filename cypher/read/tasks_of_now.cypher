// The current states of certain nodes' tasks, whatever their age.
// Takes: keys (of nodes), graph
// Gives: rows (lists, COLUMNS["task"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: task_node, graph_id
UNWIND $lists.keys AS key
MATCH (p:Task {node: key})
WITH collect([p.ref, p.since, p.position, p.id, p.text, p.active_text, p.status]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
