// First of the transaction that moves a graph's floor: the events before it are no longer held, whenever their rows go.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it); to_at, first_end, seq (of the last event that is dropped)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0
SET g.at = $lists.to_at, g.writer = $writer, g.ends = $lists.first_end + g.ends[5..10], g.trimmed = $seq
RETURN 1 AS done
