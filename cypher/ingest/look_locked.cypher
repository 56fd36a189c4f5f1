// The same as `ingest/look` under the graph's lock, where no commit is under way and no replica answers: before a chunk is refused.
// Takes: id, key (of the chunk at that offset)
// Gives and leans on: as that
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
OPTIONAL MATCH (c:Chunk {key: $key})
RETURN g.account AS account, g.log_start AS start, g.log_end AS upto, c.hash AS hash
