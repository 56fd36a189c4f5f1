// The first events about one node between two places, of certain types, oldest first.
// Takes: first, last (by_ref: "key of the node|seq"), types (exact), families (beginnings), limit
// Gives: row (a list, COLUMNS in app/store/events.py). Nothing else may be matched here: the embedded engine would scan all events.
// Leans on: event_by_ref
MATCH (e:Event) WHERE e.by_ref >= $first AND e.by_ref <= $last
WITH e WHERE (e.type IN $lists.types OR any(family IN $lists.families WHERE e.type STARTS WITH family))
RETURN [e.seq, e.arrival, e.id, e.type, e.ref, e.ts, e.time_ms, e.time_ns, e.line, e.changes, e.nodes] AS row
ORDER BY e.by_ref ASC LIMIT $limit
