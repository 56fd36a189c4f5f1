// Places of events up to one, of some buckets.
// Takes: g, buckets, upto
// Gives: seqs (sorted)
// Leans on: event_bucket, by full key
UNWIND $lists.buckets AS b
MATCH (e:Event {g: $g, bucket: b}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq <= $upto
WITH e.seq AS seq ORDER BY seq
RETURN collect(seq) AS seqs
