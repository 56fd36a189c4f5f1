// An append's first stage, or a piece of it: events, and states that ended. Nothing that was there changes but the graph's own row.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, adding, writer, taking (the writer need not have it yet); to_at, to_adding, pending, coming (events of the whole append: how many, the ends);
//        rows {events, nodes, tasks, spawns, waits, messages} (lists in a map: of lists by themselves Neo4j makes a plan for each order of size)
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = $adding AND ($taking OR g.writer = $writer)
SET g.at = $lists.to_at, g.adding = $to_adding, g.writer = $writer, g.pending = $pending, g.coming = $lists.coming
FOREACH (row IN $rows.events | CREATE (x:Event) SET x = row)
FOREACH (row IN $rows.nodes | CREATE (x:NodeVersion) SET x = row)
FOREACH (row IN $rows.tasks | CREATE (x:TaskVersion) SET x = row)
FOREACH (row IN $rows.spawns | CREATE (x:SpawnVersion) SET x = row)
FOREACH (row IN $rows.waits | CREATE (x:WaitVersion) SET x = row)
FOREACH (row IN $rows.messages | CREATE (x:MessageVersion) SET x = row)
RETURN 1 AS done
