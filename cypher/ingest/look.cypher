// Before a chunk is taken in: whose log it is, what is kept of it, and what came at one offset.
// Takes: id, key (of the chunk at that offset)
// Gives: account, start, upto (where the first and the last chunk that is kept begins and ends; null: none is), hash (null: no chunk)
// Leans on: graph_id, chunk_key
MATCH (g:Graph {id: $id})
OPTIONAL MATCH (c:Chunk {key: $key})
RETURN g.account AS account, g.log_start AS start, g.log_end AS upto, c.hash AS hash
