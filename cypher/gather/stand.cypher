// First of the transaction that keeps lines of a keyframe, or drops them: nothing moves. A restart that may never be complete is noted.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it), incomplete (whether something may be missing from now on)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0
SET g.writer = $writer, g.incomplete = CASE WHEN $incomplete THEN true ELSE g.incomplete END
RETURN 1 AS done
