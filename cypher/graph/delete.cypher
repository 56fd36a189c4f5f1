// Takes a graph away from every reader and writer at once: both look at its row. What it held is left, to be cleaned away in pieces; so is
// a new generation that was being written (under its own name, which says its number).
// The first SET takes the graph's lock.
// Takes: id, now (Unix ms), before (only one that had no news since, Unix ms; null: any)
// Gives: done; nothing where there is no such graph, or it had news
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g, CASE WHEN g.adding > g.at[4] THEN g.adding ELSE g.at[4] END AS high
WHERE $before IS NULL OR coalesce(g.heard, g.created) < $before
MERGE (x:Deleted {id: g.id})
SET x.g = g.g, x.deleted = $now, x.high = high, x.low = coalesce(g.cleared, 0), x.left = 1
FOREACH (n IN CASE WHEN g.adding < 0 THEN [-g.adding] ELSE [] END |
  MERGE (y:Deleted {id: g.id + ' ' + toString(n)})
  SET y.deleted = $now, y.high = g.highest, y.low = 0, y.left = 1)
DELETE g
RETURN 1 AS done
