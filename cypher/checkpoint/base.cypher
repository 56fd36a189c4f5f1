// First of the transaction that lays a base under a graph that has had nothing: where its writing stands after it.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it); to_at
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0
SET g.at = $lists.to_at, g.writer = $writer, g.pending = 0, g.coming = [], g.rebased = coalesce(g.rebased, 0) + 1
RETURN 1 AS done
