// First of the transaction that rewrites history: where the graph stands after it. Readers look away while the revision is odd.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, writer; to_at, heard (Unix ms), first_end (empty: as it is), last_end
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0 AND g.writer = $writer
SET g.at = $lists.to_at, g.heard = $heard,
    g.ends = CASE size($lists.first_end) WHEN 0 THEN g.ends[0..5] ELSE $lists.first_end END + $lists.last_end
RETURN 1 AS done
