// A page of events as they were sent, upwards in their order, for folding them again.
// Takes: g, buckets, after, upto
// Gives: events ([seq, line] each, sorted)
// Leans on: event_bucket, by full key (the hint keeps Neo4j from reading half the history for each bucket)
UNWIND $lists.buckets AS b
MATCH (e:Event {g: $g, bucket: b}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq > $after AND e.seq <= $upto
WITH e ORDER BY e.seq
RETURN collect([e.seq, e.line]) AS events
