// How many events there are about one node between two places.
// Takes: first, last (by_ref: "key of the node|seq")
// Gives: number. Nothing else may be matched here: the embedded engine would scan all events.
// Leans on: event_by_ref
MATCH (e:Event) WHERE e.by_ref >= $first AND e.by_ref <= $last
RETURN count(e) AS number
