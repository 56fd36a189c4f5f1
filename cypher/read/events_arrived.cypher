// The events with certain arrival numbers; a number whose event is gone gives nothing.
// Takes: g, arrivals, graph
// Gives: rows (lists, COLUMNS in app/store/events.py and whether it came late), at (where the graph stands when all rows have been read)
// Leans on: event_arrival (by full key), graph_id
UNWIND $lists.arrivals AS arrival
MATCH (e:Event {g: $g, arrival: arrival})
WITH collect([e.seq, e.arrival, e.id, e.type, e.ref, e.ts, e.time_ms, e.time_ns, e.line, e.changes, e.nodes, e.late]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
