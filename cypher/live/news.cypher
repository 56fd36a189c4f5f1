// Graphs that somebody watches, as they stand now: one look for all of them.
// Takes: ids
// Gives: for each graph that is there: graph, at, ends (as `graph/one`), rebased (how often it began at a keyframe; null: never)
// Leans on: graph_id
UNWIND $lists.ids AS id
MATCH (g:Graph {id: id})
RETURN g {.id, .account, .title, .source, .created, .retention_events, .generation, .g, .heard} AS graph, g.at AS at, g.ends AS ends,
       g.rebased AS rebased
