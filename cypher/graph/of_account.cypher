// Every graph of an account, each with its first and last event that readers may see (as in `graph/one`), in no order.
// Takes: account
// Gives: graph (all but the rest), at, ends
// Leans on: graph_account
MATCH (g:Graph {account: $account})
RETURN g {.id, .account, .title, .source, .created, .retention_events, .generation, .g, .heard} AS graph, g.at AS at, g.ends AS ends
