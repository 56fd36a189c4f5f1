// Changes what a graph is called, and what it keeps.
// Takes: id, row (the properties that change; null takes one away)
// Gives: done; nothing where there is no such graph
// Leans on: graph_id
MATCH (g:Graph {id: $id})
SET g += $row
RETURN 1 AS done
