// A new generation that is written becomes what everybody sees, at once; the present one is left to be cleaned away.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, writer, adding; to_g (key of the new generation), to_at, ends (events at both ends, as texts; empty: none is held),
//        heard (Unix ms), trimmed, cleared, remembered (of the new one), whole (it begins anew at a keyframe: nothing is missing from now on)
// Leans on: graph_id, deleted_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = $adding AND g.writer = $writer
WITH g, coalesce(g.cleared, 0) AS low, g.at[4] AS high, g.id + ' ' + toString(g.generation) AS gone
SET g.g = $to_g, g.generation = -g.adding, g.adding = 0, g.at = $lists.to_at, g.ends = $lists.ends, g.heard = $heard,
    g.trimmed = $trimmed, g.cleared = $cleared, g.remembered = $remembered, g.pending = 0, g.coming = [],
    g.incomplete = CASE WHEN $whole THEN null ELSE g.incomplete END,
    g.rebased = CASE WHEN $whole THEN coalesce(g.rebased, 0) + 1 ELSE g.rebased END
MERGE (x:Deleted {id: gone})
SET x.g = $g, x.deleted = $heard, x.low = low, x.high = high, x.left = 1
RETURN 1 AS done
