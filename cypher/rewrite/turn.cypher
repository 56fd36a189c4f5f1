// Before and after history is rewritten: the revision moves on by one, to odd and to even.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it), to_at
// Gives: keep (as in `append/head`)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0
SET g.at = $lists.to_at, g.writer = $writer
RETURN g.retention_events AS keep
