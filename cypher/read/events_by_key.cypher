// Events by their keys.
// Takes: keys, graph
// Gives: rows (lists, COLUMNS in app/store/events.py), at (where the graph stands when all rows have been read)
// Leans on: event_key, graph_id
UNWIND $lists.keys AS key
MATCH (e:Event {key: key})
WITH collect([e.seq, e.arrival, e.id, e.type, e.ref, e.ts, e.time_ms, e.time_ns, e.line, e.changes, e.nodes]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
