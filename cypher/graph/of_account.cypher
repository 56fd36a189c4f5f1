// Every graph of an account, each with its first and last event that readers may see, in no order.
// Takes: account
// Gives: graph (all but `at`), at, first, last (null where no event is held)
// Leans on: graph_account, event_seq (by full key)
MATCH (g:Graph {account: $account})
WITH g, g.g AS k, g.at AS at, g.at[0] AS head, g.at[1] AS floor
OPTIONAL MATCH (last:Event {g: k, seq: head})
OPTIONAL MATCH (first:Event {g: k, seq: floor})
RETURN g {.id, .account, .title, .source, .created, .retention_events, .generation, .g, .heard} AS graph, at,
       first {.id, .ts, .time_ms, .nodes} AS first, last {.id, .ts, .time_ms, .nodes} AS last
