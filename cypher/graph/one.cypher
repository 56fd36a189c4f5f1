// A graph with its first and last event that readers may see. One that has just been written may give `ends` of another time than `at`:
// each says its place.
// Takes: id
// Gives: graph (all but the rest), at, ends
// Leans on: graph_id
MATCH (g:Graph {id: $id})
RETURN g {.id, .account, .title, .source, .created, .retention_events, .generation, .g, .heard} AS graph, g.at AS at, g.ends AS ends
