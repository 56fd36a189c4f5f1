// The ended states of a graph's tasks that held at a place. Read after the current ones, they win over them.
// Takes: right and left (slots that a span holding seq can have), seq, graph
// Gives: rows (lists, COLUMNS["task"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: task_version_right, task_version_left, graph_id
CALL {
  UNWIND $lists.right AS slot MATCH (p:TaskVersion {right: slot}) WHERE p.until > $seq
  RETURN collect([p.ref, p.since, p.position, p.id, p.text, p.active_text, p.status]) AS ended
  UNION ALL
  UNWIND $lists.left AS slot MATCH (p:TaskVersion {left: slot}) WHERE p.since <= $seq
  RETURN collect([p.ref, p.since, p.position, p.id, p.text, p.active_text, p.status]) AS ended
}
WITH collect(ended) AS both
WITH both[0] + both[1] AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
