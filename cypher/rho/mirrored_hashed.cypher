// Sessions and agents of an account's graphs, as they are now, by the second name that Rho graphs give them (M12).
// Takes: keys (of the names), account
// Gives: a record for each: key (of the name), ref; and of its graph what graph/one gives
// Leans on: node_rho_hashed, graph_g
UNWIND $lists.keys AS key
MATCH (n:Node {rho_hashed: key}) USING INDEX SEEK n:Node(rho_hashed)
WITH key, n
MATCH (g:Graph {g: n.g})
WHERE g.account = $account
RETURN key, n.ref AS ref, g {.id, .account, .title, .source, .created, .retention_events, .generation, .g, .heard} AS graph, g.at AS at, g.ends AS ends
