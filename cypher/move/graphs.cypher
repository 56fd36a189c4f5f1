// A page of the graphs of every account, by id: what is saved when a whole store is moved.
// Takes: id (the page begins after it), limit
// Gives: graph, at, ends (as `graph/one`)
// Leans on: graph_id
MATCH (g:Graph) USING INDEX g:Graph(id)
WHERE g.id > $id
WITH g ORDER BY g.id LIMIT $limit
RETURN g {.id, .account, .title, .source, .created, .retention_events, .generation, .g, .heard} AS graph, g.at AS at, g.ends AS ends
