// How many events of some buckets lie between two places.
// Takes: g, buckets, low and high (first and last place wanted), graph
// Gives: number, at
// Leans on: event_bucket (by full key; without the hint Neo4j would take (g, seq) and read half the history for every bucket), graph_id
UNWIND $lists.buckets AS bucket
MATCH (e:Event {g: $g, bucket: bucket}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq >= $low AND e.seq <= $high
WITH count(e) AS number
MATCH (r:Graph {id: $graph})
RETURN number, r.at AS at
