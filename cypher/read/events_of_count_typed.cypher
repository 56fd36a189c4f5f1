// How many events of certain types there are about one node between two places.
// Takes: first, last (by_ref: "key of the node|seq"), types (exact), families (beginnings)
// Gives: number. Nothing else may be matched here: the embedded engine would scan all events.
// Leans on: event_by_ref
MATCH (e:Event) WHERE e.by_ref >= $first AND e.by_ref <= $last
WITH e WHERE (e.type IN $lists.types OR any(family IN $lists.families WHERE e.type STARTS WITH family))
RETURN count(e) AS number
