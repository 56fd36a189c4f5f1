// Takes away a piece of what `leftover` found: events, and the states that ended there.
// The first SET takes the graph's lock. No answer: the graph stands elsewhere, or another writer has taken it.
// Takes: id, g, at, adding, writer, taking (the writer need not have it yet); to_adding; seqs
// Leans on: graph_id, event_seq, node_version_until and its like, all by full key
MATCH (g:Graph {id: $id})
SET g.lock = g.lock + 1
WITH g
WHERE g.g = $g AND g.at = $lists.at AND g.adding = $adding AND ($taking OR g.writer = $writer)
SET g.adding = $to_adding, g.writer = $writer
WITH g
CALL { UNWIND $lists.seqs AS s MATCH (x:NodeVersion {g: $g, until: s}) DELETE x RETURN count(*) AS nodes }
CALL { UNWIND $lists.seqs AS s MATCH (x:TaskVersion {g: $g, until: s}) DELETE x RETURN count(*) AS tasks }
CALL { UNWIND $lists.seqs AS s MATCH (x:SpawnVersion {g: $g, until: s}) DELETE x RETURN count(*) AS spawns }
CALL { UNWIND $lists.seqs AS s MATCH (x:WaitVersion {g: $g, until: s}) DELETE x RETURN count(*) AS waits }
CALL { UNWIND $lists.seqs AS s MATCH (x:MessageVersion {g: $g, until: s}) DELETE x RETURN count(*) AS messages }
CALL { UNWIND $lists.seqs AS s MATCH (x:Event {g: $g, seq: s}) DELETE x RETURN count(*) AS events }
RETURN nodes, tasks, spawns, waits, messages, events
