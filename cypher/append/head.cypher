// An append's third stage: what it wrote becomes what readers see.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, writer, taking (the writer need not have it yet); head, floor; heard (Unix ms; null: as it is)
// Gives: at, keep (events that the graph keeps by its own row; null: by the server's setting)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND ($taking OR g.writer = $writer)
SET g.ends = CASE g.at[1] WHEN 0 THEN g.coming ELSE g.ends[0..5] + g.coming[5..10] END
SET g.writer = $writer, g.heard = coalesce($heard, g.heard),
    g.at = [$head, $floor, g.at[2], g.at[3], g.at[4], g.at[5], g.at[6] + g.pending]
SET g.pending = 0
RETURN g.at AS at, g.retention_events AS keep
