// Takes away what is known of the chunks of a deleted graph, at most so many.
// Takes: id, limit
// Gives: number (how many there were)
// Leans on: chunk_graph
MATCH (c:Chunk {graph: $id})
WITH c LIMIT $limit
DELETE c
RETURN count(*) AS number
