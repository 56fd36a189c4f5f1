// The first events of some buckets that lie between two places, of certain types, oldest first.
// Takes: g, buckets, low and high (first and last place wanted), types (exact), families (beginnings), limit, graph
// Gives: rows (lists, COLUMNS in app/store/events.py), at (where the graph stands when all rows have been read)
// Leans on: event_bucket (by full key; without the hint Neo4j would take (g, seq) and read half the history for every bucket), graph_id
UNWIND $lists.buckets AS bucket
MATCH (e:Event {g: $g, bucket: bucket}) USING INDEX SEEK e:Event(g, bucket)
WHERE e.seq >= $low AND e.seq <= $high
  AND (e.type IN $lists.types OR any(family IN $lists.families WHERE e.type STARTS WITH family))
WITH e ORDER BY e.seq ASC LIMIT $limit
WITH collect([e.seq, e.arrival, e.id, e.type, e.ref, e.ts, e.time_ms, e.time_ns, e.line, e.changes, e.nodes]) AS rows
MATCH (r:Graph {id: $graph})
RETURN rows, r.at AS at
