// The times of the events at certain places; a place without an event gives nothing.
// Takes: g, places (seqs)
// Gives: times [[seq, Unix ms]]
// Leans on: event_seq (by full key)
UNWIND $lists.places AS place
MATCH (e:Event {g: $g, seq: place})
RETURN collect([e.seq, e.time_ms]) AS times
