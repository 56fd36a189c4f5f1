// Events that an append laid down whose first stage was never completed.
// Takes: g, buckets, after (how far appends were completed)
// Gives: seqs
// Leans on: event_bucket, by full key
UNWIND $lists.buckets AS b
MATCH (e:Event {g: $g, bucket: b}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq > $after
RETURN collect(e.seq) AS seqs
