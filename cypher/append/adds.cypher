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
WITH g
CALL { UNWIND $rows.events AS row CREATE (x:Event) SET x = row RETURN count(*) AS events }
CALL { UNWIND $rows.nodes AS row CREATE (x:NodeVersion) SET x = row RETURN count(*) AS nodes }
CALL { UNWIND $rows.tasks AS row CREATE (x:TaskVersion) SET x = row RETURN count(*) AS tasks }
CALL { UNWIND $rows.spawns AS row CREATE (x:SpawnVersion) SET x = row RETURN count(*) AS spawns }
CALL { UNWIND $rows.waits AS row CREATE (x:WaitVersion) SET x = row RETURN count(*) AS waits }
CALL { UNWIND $rows.messages AS row CREATE (x:MessageVersion) SET x = row RETURN count(*) AS messages }
RETURN 1 AS done
