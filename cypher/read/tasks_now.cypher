// The current states of a graph's tasks that are not newer than a place.
// Takes: g, seq, graph
// Gives: rows (lists, COLUMNS["task"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: task_g, graph_id
MATCH (p:Task {g: $g}) WHERE p.since <= $seq
WITH collect([p.ref, p.since, p.position, p.id, p.text, p.active_text, p.status]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
