// A new generation that its writer left half written is given up, and left to be cleaned away.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it), adding; to_g (key of the new generation), gone (what it is called while it is cleaned), now
//        (Unix ms)
// Leans on: graph_id, deleted_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = $adding
SET g.adding = 0, g.writer = $writer
WITH g
MERGE (x:Deleted {id: $gone})
SET x.g = $to_g, x.deleted = $now, x.low = 0, x.high = g.highest, x.left = 1
RETURN 1 AS done
