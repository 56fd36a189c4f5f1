// The events at certain places; a place without an event gives nothing.
// Takes: g, places (seqs), graph
// Gives: rows (lists, COLUMNS in app/store/events.py), at (where the graph stands when all rows have been read)
// Leans on: event_seq (by full key), graph_id
UNWIND $lists.places AS place
MATCH (e:Event {g: $g, seq: place})
WITH collect([e.seq, e.arrival, e.id, e.type, e.ref, e.ts, e.time_ms, e.time_ns, e.line, e.changes, e.nodes]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
