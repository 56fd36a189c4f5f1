// The places of the events with certain arrival numbers; a number whose event is gone gives nothing.
// Takes: g, arrivals, graph
// Gives: rows ([seq, whether it came late] each), at (where the graph stands when all rows have been read)
// Leans on: event_arrival (by full key), graph_id
UNWIND $lists.arrivals AS arrival
MATCH (e:Event {g: $g, arrival: arrival})
WITH collect([e.seq, e.late]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
