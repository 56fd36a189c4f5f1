// An append's second stage, or a piece of it: where the graph stands with its current rows.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, writer, taking (the writer need not have it yet); to_at
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND ($taking OR g.writer = $writer)
SET g.at = $lists.to_at, g.writer = $writer
RETURN 1 AS done
