// The ids of the events at certain places; a place without an event gives nothing.
// Takes: g, places (seqs), graph
// Gives: rows ([seq, id] each), at (where the graph stands when all rows have been read)
// Leans on: event_seq (by full key), graph_id
UNWIND $lists.places AS place
MATCH (e:Event {g: $g, seq: place})
WITH collect([e.seq, e.id]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
