// Up to where events were dropped, up to where their rows are gone already, and how many ids are remembered so far.
// Takes: id
// Gives: g, trimmed, cleared, remembered
// Leans on: graph_id
MATCH (g:Graph {id: $id})
RETURN g.g AS g, coalesce(g.trimmed, 0) AS trimmed, coalesce(g.cleared, 0) AS cleared, coalesce(g.remembered, 0) AS remembered
