// Makes a Rho graph if it is new, and takes its lock for the rest of the transaction.
// Takes: graph (key, M4), row (account, named, subject_kind, subject_id, project_id, repository_id)
// Gives: current (key of its current snapshot, null if it has none)
// Leans on: rho_graph_key
MERGE (g:RhoGraph {key: $graph})
SET g += $row, g.lock = coalesce(g.lock, 0) + 1
RETURN g.current AS current
