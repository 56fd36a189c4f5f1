// First of the transaction that puts a checkpoint: nothing moves, but nobody else moves anything either.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0
SET g.writer = $writer
RETURN 1 AS done
