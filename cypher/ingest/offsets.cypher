// Where the chunks begin that are known of a log.
// Takes: id
// Gives: offsets (sorted)
// Leans on: chunk_graph
MATCH (c:Chunk {graph: $id})
WITH c.begins AS begins ORDER BY begins
RETURN collect(begins) AS offsets
