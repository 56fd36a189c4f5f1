// How many events of some buckets fall into each of equal spans of time, and the last of each. Span i of n begins at
// time_ms + floor(width * i / n), so an event is in the last one that begins at or before it.
// Takes: g, buckets, low and high (first and last place wanted), time_ms (Unix ms: where the first span begins), width (of all spans, ms),
//        limit (how many spans), graph
// Gives: rows ([span, number, last seq] each; the end itself counts to a span after the last), at
// Leans on: event_bucket (by full key; without the hint Neo4j would take (g, seq) and read half the history for every bucket), graph_id
UNWIND $lists.buckets AS bucket
MATCH (e:Event {g: $g, bucket: bucket}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq >= $low AND e.seq <= $high
WITH ((e.time_ms - $time_ms + 1) * $limit - 1) / $width AS span, count(*) AS number, max(e.seq) AS last
WITH collect([span, number, last]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
