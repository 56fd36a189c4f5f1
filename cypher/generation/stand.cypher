// First of a transaction that writes rows of a new generation: nothing moves, but nobody else moves anything either.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, writer, adding
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = $adding AND g.writer = $writer
RETURN 1 AS done
