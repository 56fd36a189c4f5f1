// Takes away edges of a deleted graph, at most so many of those that lead from some of its nodes.
// Takes: g, limit
// Gives: number (how many there were)
// Leans on: node_g
MATCH (a:Node {g: $g})-[e:PARENT_OF|WAITS_ON]->(b:Node)
WITH e LIMIT $limit
DELETE e
RETURN count(*) AS number
