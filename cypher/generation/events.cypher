// A page of events as they were sent with the numbers that they arrived under, upwards in their order, for a new generation.
// Takes: g, buckets, after
// Gives: events ([seq, arrival, line, whether it came late] each, sorted)
// Leans on: event_bucket, by full key
UNWIND $lists.buckets AS b
MATCH (e:Event {g: $g, bucket: b}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq > $after
WITH e ORDER BY e.seq
RETURN collect([e.seq, e.arrival, e.line, e.late]) AS events
