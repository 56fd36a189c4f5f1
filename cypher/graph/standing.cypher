// Where a graph stands: the first and the last statement of every read.
// Takes: id
// Gives: g, at
// Leans on: graph_id
MATCH (g:Graph {id: $id})
RETURN g.g AS g, g.at AS at
