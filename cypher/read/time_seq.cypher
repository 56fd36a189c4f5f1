// The last event at or before a time, among some buckets and between two places.
// Takes: g, buckets, low and high (first and last place wanted), time_ms (Unix ms)
// Gives: seq, id
// Leans on: event_bucket (by full key)
UNWIND $lists.buckets AS bucket
MATCH (e:Event {g: $g, bucket: bucket}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq >= $low AND e.seq <= $high AND e.time_ms <= $time_ms
RETURN e.seq AS seq, e.id AS id
ORDER BY e.seq DESC LIMIT 1
