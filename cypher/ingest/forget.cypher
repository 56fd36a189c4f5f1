// Forgets chunks at the front of a log. The first that is known then begins at `offset`.
// Takes: id, offset, keys (of chunks)
// Leans on: graph_id, chunk_key
MATCH (g:Graph {id: $id})
SET g.log_start = CASE WHEN g.log_start < $offset THEN $offset ELSE g.log_start END
WITH g
UNWIND $lists.keys AS key
MATCH (c:Chunk {key: key})
DELETE c
RETURN count(*) AS number
