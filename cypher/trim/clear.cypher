// Takes away a piece of dropped history: events, the states that ended there, and edges that ended with them. Their ids are remembered. No answer: the graph
// has another generation.
// Takes: id, g, seqs (of the events), seq (up to where rows are gone after it), upto (the last dropped event), part (of the ids), remembered
//        (how many then)
// Leans on: graph_id, event_seq, node_version_until and its like, node_key, trimmed_key, all by full key
MATCH (g:Graph {id: $id})
WHERE g.g = $g
SET g.cleared = $seq, g.remembered = $remembered
WITH g
CALL {
  UNWIND $lists.seqs AS s
  MATCH (x:NodeVersion {g: $g, until: s})
  MATCH (n:Node {key: x.of})
  MATCH (n)<-[e:PARENT_OF]-() WHERE e.until <= $upto
  WITH DISTINCT e
  DELETE e
  RETURN count(*) AS parents
}
CALL {
  UNWIND $lists.seqs AS s
  MATCH (x:NodeVersion {g: $g, until: s})
  MATCH (n:Node {key: x.of})
  MATCH (n)-[e:WAITS_ON]->() WHERE e.until <= $upto
  WITH DISTINCT e
  DELETE e
  RETURN count(*) AS waiting
}
CALL { UNWIND $lists.seqs AS s MATCH (x:NodeVersion {g: $g, until: s}) DELETE x RETURN count(*) AS nodes }
CALL { UNWIND $lists.seqs AS s MATCH (x:TaskVersion {g: $g, until: s}) DELETE x RETURN count(*) AS tasks }
CALL { UNWIND $lists.seqs AS s MATCH (x:SpawnVersion {g: $g, until: s}) DELETE x RETURN count(*) AS spawns }
CALL { UNWIND $lists.seqs AS s MATCH (x:WaitVersion {g: $g, until: s}) DELETE x RETURN count(*) AS waits }
CALL { UNWIND $lists.seqs AS s MATCH (x:MessageVersion {g: $g, until: s}) DELETE x RETURN count(*) AS messages }
CALL {
  UNWIND $lists.seqs AS s
  MATCH (x:Event {g: $g, seq: s})
  MERGE (t:Trimmed {key: x.key})
  SET t.g = $g, t.part = $part, t.id = x.id
  DELETE x
  RETURN count(*) AS events
}
RETURN parents, waiting, nodes, tasks, spawns, waits, messages, events
