// How many of these graphs are an account's.
// Takes: ids (graph ids), account
// Leans on: graph_id
UNWIND $lists.ids AS id
MATCH (g:Graph {id: id})
WHERE g.account = $account
RETURN count(g) AS known
