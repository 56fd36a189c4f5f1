// Writes down that a chunk came, once its events are in. The first SET takes the graph's lock. No answer: the log ends elsewhere by now.
// Takes: id, key (of the chunk), offset, upto (where it begins and ends), hash, skipped (lines of it that are no events), heard (Unix ms)
// Leans on: graph_id, chunk_key
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE coalesce(g.log_end, 0) = $offset
SET g.log_start = coalesce(g.log_start, $offset), g.log_end = $upto, g.log_skipped = coalesce(g.log_skipped, 0) + $skipped, g.heard = $heard
CREATE (c:Chunk {key: $key})
SET c.graph = $id, c.begins = $offset, c.hash = $hash
RETURN 1 AS done
