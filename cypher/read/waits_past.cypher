// The ended states of a graph's waits that held at a place. Read after the current ones, they win over them.
// Takes: right and left (slots that a span holding seq can have), seq, graph
// Gives: rows (lists, COLUMNS["wait"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: wait_version_right, wait_version_left, graph_id
CALL {
  UNWIND $lists.right AS slot MATCH (p:WaitVersion {right: slot}) WHERE p.until > $seq
  RETURN collect([p.ref, p.since, p.position, p.id, p.kind, p.target, p.reason, p.open, p.started, p.ended]) AS ended
  UNION ALL
  UNWIND $lists.left AS slot MATCH (p:WaitVersion {left: slot}) WHERE p.since <= $seq
  RETURN collect([p.ref, p.since, p.position, p.id, p.kind, p.target, p.reason, p.open, p.started, p.ended]) AS ended
}
WITH collect(ended) AS both
WITH both[0] + both[1] AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
