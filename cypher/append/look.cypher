// Before an append: where the graph stands, and which of its events are there already, or were and are remembered (at 0). The graph is read
// first: what `known` lacks cannot have come before `at`.
// Takes: id, keys (of events)
// Gives: account, g, at, adding, writer, pieces, known ([key, seq] each)
// Leans on: graph_id, event_key, trimmed_key
MATCH (g:Graph {id: $id})
WITH g.id AS id, g.account AS account, g.g AS g, g.at AS at, g.adding AS adding, g.writer AS writer, g.lock AS pieces
CALL {
  WITH id
  UNWIND $lists.keys AS key
  MATCH (e:Event {key: key})
  RETURN collect([e.key, e.seq]) AS held
}
CALL {
  WITH id
  UNWIND $lists.keys AS key
  MATCH (t:Trimmed {key: key})
  RETURN collect([t.key, 0]) AS trimmed
}
RETURN account, g, at, adding, writer, pieces, trimmed + held AS known
