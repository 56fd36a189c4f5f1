// Before a new generation of a graph's rows is written beside the present one: nobody else writes until it is switched to or given up.
// `adding` is the new generation's number, negative, for that long. Numbers are never used twice.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere.
// Takes: id, g, at, writer (who takes it); high (no event of the new generation is above)
// Gives: number, keep (as in `append/head`)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = 0
SET g.generations = coalesce(g.generations, g.generation) + 1, g.highest = $high, g.writer = $writer
SET g.adding = -g.generations
RETURN g.generations AS number, g.retention_events AS keep
